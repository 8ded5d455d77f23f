package protocol

import "github.com/gopvas/gopvas/suci/internal/wire"

// acknowledge handles an acknowledgement that arrived at the given time. It tells whether
// the acknowledgement can be true.
func (s *sender) acknowledge(arrived Time, flags uint8, a *wire.AckHeader, bitmap wire.Bitmap) bool {
	if a.Limit > a.Next+2*maxWindow || a.Next+uint64(a.Span) > max(s.next, s.holding) {
		return false
	}
	before, had := s.waiting+s.lost+s.parked, s.peer.machine.Acknowledged()
	newest := s.newest(a, bitmap)
	d, measured := s.roundTrip(arrived, a, newest)
	if !s.advance(a.Next) {
		return false
	}
	s.mark(a, bitmap)
	if a.Limit > s.limit {
		s.limit, s.asked = a.Limit, false
		s.peer.contact.backoff = 0
	}
	p := s.peer
	p.queueThere = a.Queue
	if measured {
		p.rtt.sample(arrived, d)
		p.rtt.answered(Time(a.Delay))
		p.control.round(d)
	}
	if progress := before - s.waiting - s.lost - s.parked; progress > 0 {
		p.control.arrive(arrived, progress*p.payload, p.payload, p.rtt.least())
		if a.Delay != wire.DelayUnknown {
			p.delivered(arrived-Time(a.Delay), int(p.machine.Acknowledged()-had))
		}
		s.since, p.contact.backoff = p.machine.now, 0 // not arrived: this process may have waited for its CPU
		if s.waiting+s.lost+s.parked == 0 {
			s.unasked = 0 // acknowledgements come along with the data of the peer
		}
	}
	switch {
	case flags&wire.FlagNack != 0:
		s.park(a, bitmap)
	case a.Resend > 0:
		s.resend(arrived, a, bitmap, flags&wire.FlagAnswer != 0)
	}
	return true
}

// park notes that the missing packets wait for memory at the receiver.
func (s *sender) park(a *wire.AckHeader, bitmap wire.Bitmap) {
	for i := range int(a.Span) {
		seq := a.Next + uint64(i)
		if bitmap.Word(i/64)>>(i%64)&1 != 0 || seq < s.una || seq >= s.next {
			continue
		}
		if f := s.flight(seq); f.state == waiting {
			s.leave(f)
			f.state = parked
			s.parked++
		}
	}
}

// newest is the highest packet that the acknowledgement says has arrived.
func (s *sender) newest(a *wire.AckHeader, bitmap wire.Bitmap) uint64 {
	for i := int(a.Span) - 1; i >= 0; i-- {
		if bitmap.Word(i/64)>>(i%64)&1 != 0 {
			return a.Next + uint64(i)
		}
	}
	return a.Next - 1 // before the first packet of all: never within the window
}

// roundTrip measures with the newest packet, if that was unknown to have arrived and was
// sent only once.
func (s *sender) roundTrip(arrived Time, a *wire.AckHeader, newest uint64) (Time, bool) {
	if newest < s.una || newest >= s.next || a.Delay == wire.DelayUnknown {
		return 0, false
	}
	f := s.flight(newest)
	if f.state != waiting || f.times != 1 {
		return 0, false
	}
	return max(arrived-f.at-Time(a.Delay), 1), true
}

// mark notes the packets that the bitmap says have arrived.
func (s *sender) mark(a *wire.AckHeader, bitmap wire.Bitmap) {
	bytes, block := 0, 0
	for i := range int(a.Span) {
		if bitmap.Word(i/64)>>(i%64)&1 == 0 {
			continue
		}
		if seq := a.Next + uint64(i); seq >= s.una && seq < s.next {
			bytes += s.settle(seq, &block)
		}
	}
	s.peer.machine.all.acked.Add(uint64(bytes))
}

// resend makes packets lost that the receiver wants again: as many as it asks for, lowest
// first. A packet that was sent again is not sent a third time within a round trip, so
// repeated requests do not multiply it.
//
// What an answer to a probe does not ask for, and says is missing, is not under way any more, either. It
// is parked. Else it could fill the window, and nothing that the receiver asks for would be sent.
func (s *sender) resend(now Time, a *wire.AckHeader, bitmap wire.Bitmap, answer bool) {
	p := s.peer
	pause := p.rtt.smooth + p.rtt.variance
	left := int(a.Resend)
	losses := 0
	for i := 0; i < int(a.Span) && (left > 0 || answer); i++ {
		if bitmap.Word(i/64)>>(i%64)&1 != 0 {
			continue
		}
		left--
		seq := a.Next + uint64(i)
		if seq < s.una || seq >= s.next {
			continue
		}
		f, asked := s.flight(seq), left >= 0
		switch {
		case f.state == parked && asked:
		case f.state != waiting, f.times > 1 && now-f.at < pause, !asked && now-f.at < pause:
			continue
		default:
			p.losses++
			losses++
		}
		s.leave(f)
		if asked {
			f.state = lost
			s.lost++
		} else {
			f.state = parked
			s.parked++
		}
	}
	if losses > 0 && p.control.lose(losses*p.payload) {
		p.machine.changed(p, Congested)
	}
}
