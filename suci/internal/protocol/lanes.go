package protocol

import "math/bits"

// laneSet is a set of lanes, a bit for each. Most peers use one or two of the eight, and a
// message passes many loops over them: a loop over a set looks at no others.
//
//	for set := p.sending; set != 0; set = set.rest() {
//		s := p.lanes[set.first()].out
type laneSet uint8

// first is the lowest lane of a set that is not empty.
func (s laneSet) first() uint8 { return uint8(bits.TrailingZeros8(uint8(s))) & 7 }

// last is the highest one.
func (s laneSet) last() uint8 { return uint8(bits.Len8(uint8(s))-1) & 7 }

// rest is the set without its first lane.
func (s laneSet) rest() laneSet { return s & (s - 1) }

func (s *laneSet) add(lane uint8) { *s |= 1 << lane }

func (s *laneSet) remove(lane uint8) { *s &^= 1 << lane }

// lane keeps the numbers of a priority while it has no sender and no receiver.
type lane struct {
	out                            *sender
	in                             *receiver
	sent, limit, received, granted uint64
}

// sender returns the sending half of a lane, made if need be.
func (p *Peer) sender(number uint8) *sender {
	l := &p.lanes[number]
	if l.out == nil {
		s := p.machine.newSender()
		s.peer, s.lane = p, number
		s.una, s.next, s.end, s.limit = l.sent, l.sent, l.sent, l.limit
		s.holding, s.lost, s.waiting, s.parked, s.asked, s.unasked = 0, 0, 0, 0, false, 0
		s.served, s.since = p.machine.now, p.machine.now
		l.out = s
		p.sending.add(number)
		p.touch()
	}
	return l.out
}

// receiver returns the receiving half of a lane, made if need be.
func (p *Peer) receiver(number uint8) *receiver {
	l := &p.lanes[number]
	if l.in == nil {
		r := p.machine.newReceiver()
		blocks := r.blocks
		*r = receiver{
			peer: p, lane: number, blocks: blocks, reorder: startReorder, ackDue: Never,
			next: l.received, high: l.received, demand: l.received, deliver: l.received,
			limit: l.granted, told: l.granted, waiting: p.machine.now,
		}
		l.in = r
		p.receiving.add(number)
		p.touch()
	}
	return l.in
}

// prune gives back the lanes that have nothing to do, and tells whether all have.
func (p *Peer) prune() (all bool) {
	for set := p.sending; set != 0; set = set.rest() {
		l := &p.lanes[set.first()]
		if s := l.out; s.done() {
			l.sent, l.limit, l.out = s.end, s.limit, nil
			p.sending.remove(s.lane)
			p.machine.senders = append(p.machine.senders, s)
		}
	}
	for set := p.receiving; set != 0; set = set.rest() {
		l := &p.lanes[set.first()]
		if r := l.in; r.idle() {
			l.received, l.granted, l.in = r.next, r.limit, nil
			p.receiving.remove(r.lane)
			p.machine.receivers = append(p.machine.receivers, r)
		}
	}
	return p.greeting == nil && p.search == nil && p.asked.Size == 0 && p.pending.len() == 0 &&
		p.sending|p.receiving == 0
}
