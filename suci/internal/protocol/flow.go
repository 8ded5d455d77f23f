package protocol

import "net/netip"

// Flow is the state of the flow between this machine and a peer.
type Flow struct {
	Peer        ID
	Addr        netip.AddrPort
	Up          bool
	Incarnation uint64

	RoundTrip, LeastRoundTrip, Variation Time

	Rate     int    // bytes per second at which transfers of 8 KiB or more came to the peer, 0: not known
	Packet   int    // bytes of the longest packets to the peer, 0: not known
	Window   int    // bytes that may be under way to the peer
	UnderWay int    // bytes that are
	Granted  int    // bytes that the peer allows beyond those already sent
	Given    int    // bytes that the peer may send beyond those that arrived
	Pace     int    // bytes per second, 0: not limited
	Queue    int    // blocks to the peer that it has not acknowledged
	Unsent   int    // bytes of them not sent yet
	Waiting  int    // bytes from the peer that nobody has read here
	There    int    // bytes from here that nobody has read there
	Losses   uint64 // packets that the peer asked for again
	Resent   uint64 // packets
	Probing  int    // probes since the peer was last heard
	Silent   Time   // since the peer was last heard
}

// Flow reads the flow state of a peer.
func (p *Peer) Flow(now Time) Flow {
	f := Flow{
		Peer: p.id, Addr: p.addr, Up: p.session != nil, Incarnation: p.incarnation,
		RoundTrip: p.rtt.smooth, LeastRoundTrip: p.rtt.least(), Variation: p.rtt.variance,
		Rate: int(p.delivery.rate), Packet: int(p.size), Window: p.control.window,
		UnderWay: p.underWay * p.payload, Pace: int(p.rate()),
		Queue: p.Queue(), Waiting: p.held, There: int(p.queueThere) << 10,
		Losses: p.losses, Resent: p.resent, Probing: p.contact.unanswered, Silent: now - p.contact.heard,
	}
	for i := range p.lanes {
		l := &p.lanes[i]
		f.Granted += int(l.limit-l.sent) * p.payload
		if s := l.out; s != nil {
			f.Granted += (int(s.limit-s.next) - int(l.limit-l.sent)) * p.payload
			f.Unsent += int(s.unsent())
		}
		given := l.granted - l.received
		if r := l.in; r != nil {
			given = r.limit - r.next - uint64(r.count)
		}
		f.Given += int(given) * p.payload
	}
	return f
}

// Queue is the number of blocks to the peer that have not ended. A block that was given up has ended, though the peer
// has yet to skip it: nobody is told when it does. So each time that Queue becomes less, a Done is called.
func (p *Peer) Queue() int {
	n := p.pending.len()
	for set := p.sending; set != 0; set = set.rest() {
		s := p.lanes[set.first()].out
		n += s.blocks.len() - s.voids
	}
	return n
}

// SetPace bounds the bytes per second to the peer; 0 lets the protocol choose alone.
func (p *Peer) SetPace(bytesPerSecond int) { p.pace = max(0, bytesPerSecond) }

// Retransmit asks the peer at once what it lacks, instead of waiting for the timer.
func (m *Machine) Retransmit(now Time, p *Peer) {
	m.now = now
	for set := p.sending; set != 0; set = set.rest() {
		if s := p.lanes[set.first()].out; s.waiting+s.parked > 0 {
			s.since = now - maxProbe
		}
	}
	if p.greeting != nil {
		p.greeting.at = now
	}
}

// Counters returns what the machine has counted.
func (m *Machine) Counters() Counters { return m.count }
