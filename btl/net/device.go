package net

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/suci"
)

// device is a way of this rank to other nodes: an endpoint on an address of its own. The rank
// sleeps in the endpoint of device 0 and drives it. Those of the others are driven by their
// keepers, which notify the rank's inbox. A device reaches the devices of the same number.
//
// mu guards the account: pieces are started by the rank, and end in whatever goroutine drives
// the endpoint. It is taken last, and nothing is called under it.
type device struct {
	m        *Module
	number   int
	endpoint *suci.Endpoint
	fresh    atomic.Bool // the keeper has taken something in

	// Of the rank, under the engine's lock.
	queue   []*piece // that were not started, by order
	waiting int      // bytes in queue
	flying  []*piece // started, and not noticed to be over

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
	Bytes        int
	Start, End   time.Time
}

// mostFlights bounds the log of a device.
const mostFlights = 1024

// open opens the endpoint of a device.
func (m *Module) open(number int, addr netip.Addr) (*device, error) {
	d := &device{m: m, number: number}
	news := m.onNews
	if number > 0 {
		news = func() {
			d.fresh.Store(true)
			m.onNews()
		}
	}
	var err error
	d.endpoint, err = suci.Open(suci.Options{
		Self: idOf(m.rank), Key: suci.Key(m.root.Key()), Listen: netip.AddrPortFrom(addr, 0),
		Packet: longestPacket(addr), MaxPeers: m.root.Ranks(), Timeout: silence, OnNews: news,
		OnChange: func(id suci.ID, c suci.Change) { m.onChange(d, id, c) },
		Locate:   func(from suci.ID, place uint32, length int) []byte { return m.landings.locate(d, from, place, length) },
	})
	if err != nil {
		return nil, fmt.Errorf("net: open device %d: %w", number, err)
	}
	return d, nil
}

// begin notes that bytes are under way.
func (d *device) begin(n int) {
	d.mu.Lock()
	if d.load == 0 {
		d.since = time.Now()
		d.sample.begin(d.since)
	}
	d.load += n
	d.mu.Unlock()
}

// end notes that they are no more. Those that were acknowledged count.
func (d *device) end(n int, acknowledged bool) {
	now := time.Now()
	d.mu.Lock()
	d.load -= n
	if acknowledged {
		d.use.Sent += uint64(n)
		d.sample.add(now, n, d.load > 0)
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

// startBandwidth and startLatency are taken until they are measured. Equal devices begin
// equal.
const (
	startBandwidth = 125e6
	startLatency   = 100e3
)

// estimate is the device as the planner sees it: what is known of it, and for how long what
// it has to send already keeps it busy.
func (d *device) estimate() exchange.Device {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := exchange.Device{Bandwidth: d.sample.rate, Latency: d.latency}
	if e.Bandwidth == 0 {
		e.Bandwidth = startBandwidth
	}
	if e.Latency == 0 {
		e.Latency = startLatency
	}
	e.Busy = float64(d.load+d.waiting) * 1e9 / e.Bandwidth
	return e
}

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
	u.Bandwidth, u.Latency = uint64(d.sample.rate), uint64(d.latency)
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

// sample measures the rate at which bytes are acknowledged while some are under way. rate is
// the median of the last rates, so that a single delay of the machine counts for nothing, and
// a device that has become slower is known after three samples.
type sample struct {
	rate  float64 // bytes per second; 0: not known
	last  [5]float64
	n     int
	start time.Time
	bytes int
}

// A rate is taken after so many bytes, or after so long if there were some.
const (
	sampleBytes = 4 << 20
	sampleTime  = 20 * time.Millisecond
	sampleLeast = 64 << 10
)

func (s *sample) begin(now time.Time) { s.start, s.bytes = now, 0 }

func (s *sample) add(now time.Time, n int, busy bool) {
	s.bytes += n
	took := now.Sub(s.start)
	if s.bytes < sampleLeast || took < sampleTime && s.bytes < sampleBytes {
		return
	}
	s.last[s.n%len(s.last)] = float64(s.bytes) * 1e9 / float64(max(took, 1))
	s.n++
	known := s.last
	list := known[:min(s.n, len(known))]
	slices.Sort(list)
	s.rate = list[len(list)/2]
	if busy {
		s.begin(now)
	}
}
