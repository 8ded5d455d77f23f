package suci

import "github.com/gopvas/gopvas/suci/internal/protocol"

// Gathering. While long blocks come and go by several slow devices, a packet is due every few
// microseconds, each time on another device. To sleep until then, and wake up for it, costs more than
// the packet. So when a step finds nothing, the loop sleeps for a while without its sockets, and then
// serves all of them. Meanwhile only calls of the program send; what has become due is made up for
// (Machine.SetSlack).
//
// It gathers only while a block with a place is under way, so a short message never waits for another
// short one. It gathers for no longer than a few packets of each endpoint take to come at the rate of
// the last millisecond. If that is short the devices are fast, and the loop does not gather.
type gathering struct {
	slack   protocol.Time // how long the loop gathers; 0: it does not
	until   protocol.Time // no socket is looked at before
	rate    float64       // bytes per ns of all endpoints, in both directions; 0: not known
	since   protocol.Time // a rate is being measured since then
	payload uint64        // bytes that had come and gone then
}

const (
	gatherPackets = 4 // of each endpoint
	gatherMost    = 250 * protocol.Microsecond
	gatherLeast   = 50 * protocol.Microsecond // to sleep for less is not worth it
	sampleTime    = protocol.Millisecond
	sampleLife    = 5 * protocol.Millisecond // a longer sample has a pause in it
)

// gather decides after a step at which something came or went, whether to gather now.
func (l *loop) gather(now protocol.Time) {
	l.slack, l.until = 0, 0
	if !l.several() || !l.streams() {
		return
	}
	l.sample(now)
	if l.rate == 0 {
		return
	}
	packets := gatherPackets * l.drives[0].e.machine.PacketSize() * len(l.drives)
	if t := min(protocol.Time(float64(packets)/l.rate), gatherMost); t >= gatherLeast {
		l.slack, l.until = t, now+t
	}
}

// streams tells whether a block with a place is under way.
func (l *loop) streams() bool {
	for _, d := range l.drives {
		if d.e.machine.Streams() {
			return true
		}
	}
	return false
}

// sample measures the rate.
func (l *loop) sample(now protocol.Time) {
	took := now - l.since
	if took < sampleTime {
		return
	}
	payload := uint64(0)
	for _, d := range l.drives {
		payload += d.e.machine.Payload()
	}
	l.rate = 0
	if took < sampleLife && payload > l.payload { // an endpoint may have gone
		l.rate = float64(payload-l.payload) / float64(took)
	}
	l.since, l.payload = now, payload
}

// gathers tells whether the sockets are to be left alone.
func (l *loop) gathers(now protocol.Time) bool { return l.until > now }
