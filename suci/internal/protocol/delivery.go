package protocol

import (
	"slices"
	"sync/atomic"
)

// delivery measures the rate at which bytes come to a peer, or to all peers. A stretch is a time in which packets
// are under way without a break; the pauses between stretches do not count. It runs from one acknowledgement to a
// later one. An acknowledgement counts from the arrival of the newest packet at the peer's kernel: its process may
// acknowledge late, and then much at once. Stretches are added up to deliverySample bytes.
type delivery struct {
	rate  float64 // bytes per second, smoothed; 0: not known
	since Time    // when the stretch began, 0: none has
	bytes int     // that came since
	took  Time    // by the stretches before
	sum   int     // bytes of them
}

const (
	// deliverySample is long enough to be more than the bursts in which acknowledgements come.
	deliverySample = 64 << 10

	// stretchLeast is how many bytes a stretch must have to count.
	stretchLeast = 8 << 10
)

// note takes an acknowledgement of so many bytes, the newest of which have come at the given
// time. busy tells whether more are under way. note returns a new rate, not smoothed; 0: there is none.
func (d *delivery) note(arrived Time, bytes int, busy bool) (rate float64) {
	if d.since == 0 {
		d.begin(arrived, busy)
		return 0
	}
	d.bytes += bytes
	took := arrived - d.since
	if took > 0 && d.bytes >= stretchLeast && (!busy || d.sum+d.bytes >= deliverySample) {
		d.took += took
		d.sum += d.bytes
		d.begin(arrived, busy)
		return d.take()
	}
	if !busy {
		d.since = 0
	}
	return 0
}

// take takes a rate of what has been added up, if that is enough.
func (d *delivery) take() (rate float64) {
	if d.sum < deliverySample {
		return 0
	}
	rate = float64(d.sum) * 1e9 / float64(d.took)
	if d.rate == 0 {
		d.rate = rate
	}
	d.rate += (rate - d.rate) / 4
	d.took, d.sum = 0, 0
	return rate
}

func (d *delivery) begin(arrived Time, busy bool) {
	d.since, d.bytes = 0, 0
	if busy {
		d.since = arrived
	}
}

// delivered notes that so many bytes have come to the peer.
func (p *Peer) delivered(arrived Time, bytes int) {
	p.delivery.note(arrived, bytes, p.underWay > 0)
	p.machine.all.delivered(arrived, bytes)
}

// throughput is what all peers have got. Acknowledged and Rate may be called by any goroutine.
type throughput struct {
	underWay int // packets sent of which nothing has been heard
	delivery delivery
	rates    [4]float64 // the newest first
	highest  atomic.Uint64
	acked    atomic.Uint64
}

func (t *throughput) delivered(arrived Time, bytes int) {
	if rate := t.delivery.note(arrived, bytes, t.underWay > 0); rate > 0 {
		copy(t.rates[1:], t.rates[:])
		t.rates[0] = rate
		t.highest.Store(uint64(slices.Max(t.rates[:])))
	}
}
