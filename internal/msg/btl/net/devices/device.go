package devices

import (
	"slices"
	"sync"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
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
	root     *job.Root
	rank     int
	best     *best // of all devices
	number   int
	endpoint *suci.Endpoint

	// Of the rank, under the engine's lock.
	queue   []*piece // that were not started, by order
	waiting int      // bytes in queue
	flying  []*piece // started, and not noticed to be over
	peers   int      // that something waits for or is under way to
	sharing []*Peer  // scratch of pace

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

// begin notes that bytes are under way.
func (d *device) begin(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.load
	d.root.AddUnderWay(d.rank, n)
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
	d.root.AddUnderWay(d.rank, -n)
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

// Uses returns what this rank has done with each device.
func (s *Set) Uses() (list []job.DeviceUse) {
	for _, d := range s.list {
		list = append(list, d.used())
	}
	return list
}

// Publish tells the supervisor.
func (s *Set) Publish() {
	for number, use := range s.Uses() {
		s.root.PublishDevice(s.rank, number, use)
	}
}

// Flights returns the last pieces that were sent, by the time of their start. It is for
// pictures: what was sent first may be missing.
func (s *Set) Flights() (list []Flight) {
	for _, d := range s.list {
		d.mu.Lock()
		list = append(list, d.log...)
		d.mu.Unlock()
	}
	slices.SortStableFunc(list, func(a, b Flight) int { return a.Start.Compare(b.Start) })
	return list
}
