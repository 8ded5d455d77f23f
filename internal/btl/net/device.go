package net

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/suci"
)

// device is a way of this rank to other nodes: an endpoint on an address of its own. All endpoints
// share a loop of suci: the rank drives them, and sleeps until a packet comes on any, while it
// waits; their keeper drives them while the rank computes, and notifies its inbox. A device reaches
// the devices of the same number.
//
// mu guards the account: pieces are started by the rank, and end in whatever goroutine drives
// the endpoint. It is taken last, and nothing is called under it.
type device struct {
	m        *Module
	number   int
	endpoint *suci.Endpoint

	// Of the rank, under the engine's lock.
	queue   []*piece // that were not started, by order
	waiting int      // bytes in queue
	flying  []*piece // started, and not noticed to be over
	peers   int      // that something waits for or is under way to
	sharing []*peer  // scratch of pace

	mu      sync.Mutex
	load    int // bytes under way
	since   time.Time
	sample  sample
	use     job.DeviceUse // what is counted
	latency float64       // ns; 0: not known
	log     []Flight
}

// Flight is a piece that a device has sent.
type Flight struct {
	Device, Peer int
	Message      int // of those that were sent together; -1: it was sent for itself
	Bytes        int
	Start, End   time.Time
}

// mostFlights bounds the log of a device.
const mostFlights = 1024

// open opens the endpoint of a device.
func (m *Module) open(number int, addr netip.Addr) (*device, error) {
	d := &device{m: m, number: number}
	polls := spin
	if m.root.Spin() == 0 { // more ranks than CPUs, or --spin 0
		polls = 0
	}
	var keyOf func(suci.ID) (suci.Key, bool)
	if m.root.JobNumber() > 0 {
		keyOf = m.keyOf
	}
	var err error
	d.endpoint, err = suci.Open(suci.Options{
		Encrypt: m.root.Settings().Encrypt && keyOf == nil, Spin: polls, Hold: m.crowd.Resting, With: m.endpoint,
		Self: idOf(int(m.root.NameOf(m.rank))), Key: suci.Key(m.root.Key()),
		Listen: netip.AddrPortFrom(addr, 0), KeyOf: keyOf,
		MaxPeers: m.root.Places(), Timeout: m.root.Settings().PeerTimeout, OnNews: m.onNews, OnKeep: m.onKeep,
		OnChange: func(id suci.ID, c suci.Change) { m.onChange(d, id, c) },
		Locate: func(from suci.ID, place uint32, length int) []byte {
			return m.landings.locate(d, from, place, length)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("net: open device %d: %w", number, err)
	}
	return d, nil
}

// begin notes that bytes are under way.
func (d *device) begin(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.load
	d.m.root.AddUnderWay(d.m.rank, n)
	if d.load += n; before >= stretchLoad {
		return
	}
	now := time.Now()
	if before == 0 {
		d.since = now
	}
	if d.load >= stretchLoad {
		d.sample.begin(now, d.endpoint.Acknowledged())
	}
}

// end notes that they are no more. Those that were acknowledged count.
func (d *device) end(n int, acknowledged bool) {
	now := time.Now()
	d.mu.Lock()
	d.load -= n
	d.m.root.AddUnderWay(d.m.rank, -n)
	if !acknowledged {
		d.sample.drop()
	} else {
		d.use.Sent += uint64(n)
		d.sample.add(now, d.endpoint.Acknowledged(), n, d.load)
	}
	if d.load == 0 {
		d.use.Busy += uint64(now.Sub(d.since))
	}
	d.mu.Unlock()
}

// count counts bytes of messages.
func (d *device) count(sent, received int) {
	d.mu.Lock()
	d.use.Sent += uint64(sent)
	d.use.Received += uint64(received)
	d.mu.Unlock()
}

// startBandwidth and startLatency are taken until they are measured.
const (
	startBandwidth = 125e6
	startLatency   = 100e3
)

// estimate is the device as the planner sees it: what is known of it, and for how long what
// it has to send already keeps it busy.
func (d *device) estimate() exchange.Device {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := exchange.Device{Bandwidth: d.m.alike(&d.sample), Latency: d.latency}
	switch nearest := d.m.nearest; {
	case nearest == 0:
		e.Latency = startLatency
	case d.latency <= nearest*unlikeLatency:
		e.Latency = nearest
	}
	if n := d.load + d.waiting; n >= busyLeast {
		e.Busy = float64(n) * 1e9 / e.Bandwidth
	}
	return e
}

// busyLeast is from how many bytes on a device is busy. Less may make no difference to plans: then
// those of all ranks stay alike.
const busyLeast = 16 << 10

// likeness is how much slower than the fastest one a device may have been to be taken for
// equal. Ranks with equal devices then make equal plans, by which each device receives as much as
// it sends. With plans that differ at random receivers would be slower, and so seem the devices.
const likeness = 0.67

// unlikeLatency is how many times the least latency of a device must be to be taken for different, for
// the same reason. A round trip is measured on a busy node, too.
const unlikeLatency = 4

// alike returns the bandwidth that a device is taken to have. It is slower than the fastest
// one only if that has been seen several times and lately: what is not used is tried again.
func (m *Module) alike(s *sample) float64 {
	rate := s.rate()
	switch {
	case m.fastest == 0:
		return startBandwidth
	case rate >= likeness*m.fastest || time.Since(s.oldest()) > sampleLife:
		return m.fastest
	}
	return rate
}

// measure takes note of what the devices have turned out to be, before a plan is made. Their
// latencies are those to a peer.
func (m *Module) measure(p *peer) {
	m.fastest, m.nearest = 0, 0
	for _, d := range m.devices {
		handle, latency := p.paths[d.number].handle, 0.0
		if handle != nil {
			if trip := handle.Flow().LeastRoundTrip; trip > 0 { // else nobody has answered
				latency = pieceCost + float64(trip)/2
			}
		}
		d.mu.Lock()
		m.fastest = max(m.fastest, d.sample.rate())
		if latency > 0 {
			d.latency = latency
		}
		if d.latency > 0 && (m.nearest == 0 || d.latency < m.nearest) {
			m.nearest = d.latency
		}
		d.mu.Unlock()
	}
}

// pieceCost is what a piece costs besides half a round trip, in ns.
const pieceCost = 50e3

// underWay is the number of bytes that the device is sending.
func (d *device) underWay() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.load
}

// record keeps a piece for the picture of the exchange.
func (d *device) record(f Flight) {
	d.mu.Lock()
	d.use.Pieces++
	if len(d.log) == mostFlights {
		d.log = d.log[:copy(d.log, d.log[mostFlights/2:])]
	}
	d.log = append(d.log, f)
	d.mu.Unlock()
}

// used returns what was counted.
func (d *device) used() job.DeviceUse {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := d.use
	if d.load > 0 {
		u.Busy += uint64(time.Since(d.since))
	}
	u.Bandwidth, u.Latency = uint64(d.sample.rate()), uint64(d.latency)
	return u
}

// publish tells the supervisor what the devices have done.
func (m *Module) publish() {
	for _, d := range m.devices {
		m.root.PublishDevice(m.rank, d.number, d.used())
	}
}

// Devices returns what this rank has done with each device.
func (m *Module) Devices() (list []job.DeviceUse) {
	for _, d := range m.devices {
		list = append(list, d.used())
	}
	return list
}

// Flights returns the last pieces that were sent, by the time of their start. It is for
// pictures: what was sent first may be missing.
func (m *Module) Flights() (list []Flight) {
	for _, d := range m.devices {
		d.mu.Lock()
		list = append(list, d.log...)
		d.mu.Unlock()
	}
	slices.SortStableFunc(list, func(a, b Flight) int { return a.Start.Compare(b.Start) })
	return list
}
