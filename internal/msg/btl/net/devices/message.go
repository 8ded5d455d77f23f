package devices

import (
	"encoding/binary"
	"errors"

	"github.com/gopvas/gopvas/suci"
)

// With several devices a message may go by any of them. If that device fails, it goes again by another. So a number
// follows it, by which the receiver puts messages in order and drops duplicates. The sender keeps it until it is
// acknowledged. With one device suci does all that.

// sentMessage is a message that was not acknowledged yet.
type sentMessage struct {
	outgoing
	buf []byte
}

const (
	numberSize = 4

	// fewUnacked is up to how many messages all are looked at whenever the first one was acknowledged.
	fewUnacked = 64

	// spreadLeast is the length from which an eager message goes by the device that is free
	// first, with its head. Shorter ones go by the first one.
	spreadLeast = 512
)

// ping is a message that says nothing, and has no number.
var ping = []byte{0}

// Send sends a copy of a message. False means that too much is under way: more than suci.Options.QueueLimit.
func (s *Set) Send(p *Peer, b []byte) bool {
	if s.Several() {
		return s.sendNumbered(p, b)
	}
	err := p.paths[0].handle.TryWrite(suci.Block{Data: b, Priority: messageLane})
	if err == nil {
		s.list[0].count(len(b), 0)
		return true
	}
	if !errors.Is(err, suci.ErrWouldBlock) && !s.root.Gone(p.rank) {
		s.Fail(p, err)
	}
	return false
}

// sendNumbered gives a message its number, and keeps it.
func (s *Set) sendNumbered(p *Peer, b []byte) bool {
	if s.settleDue(p) {
		s.settle(p)
	}
	if p.unackedBytes > s.queueLimit {
		return false
	}
	var o *sentMessage
	if k := len(s.spareMessages); k > 0 {
		o = s.spareMessages[k-1]
		s.spareMessages = s.spareMessages[:k-1]
	} else {
		o = &sentMessage{outgoing: outgoing{set: s}}
		o.done = func(err error) { o.land(len(o.buf), err) }
	}
	o.buf = binary.LittleEndian.AppendUint32(append(o.buf[:0], b...), p.number)
	p.number++
	p.unacked = append(p.unacked, o)
	p.unackedBytes += len(o.buf)
	s.sendMessage(p, o)
	return true
}

// settleDue tells whether to settle before another message is sent. So it is when there is no room, or when there are
// twice as many as the last time left. With few it also is when memory can be used again before more is made.
func (s *Set) settleDue(p *Peer) bool {
	n := len(p.unacked)
	return n > 0 && (p.unackedBytes > s.queueLimit || n >= p.settleAt ||
		n <= fewUnacked && len(s.spareMessages) == 0 && p.unacked[0].landed.Load() == arrived)
}

// sendMessage sends a message by the best path there is.
func (s *Set) sendMessage(p *Peer, o *sentMessage) {
	s.hand(p, &o.outgoing, s.pathFor(p, len(o.buf), len(o.buf) >= spreadLeast),
		suci.Block{Data: o.buf, Priority: messageLane})
}

// pathFor returns the device by which so many bytes would be with the peer first; or if any
// will do, the first one that is up.
func (s *Set) pathFor(p *Peer, n int, spread bool) *device {
	var best *device
	least := 0.0
	for _, d := range s.list {
		if p.paths[d.number].state != Up {
			continue
		}
		if !spread {
			return d
		}
		e := d.estimate()
		t := e.Latency + float64(d.underWay()+d.waiting+n)*1e9/e.Bandwidth
		if best == nil || t < least {
			best, least = d, t
		}
	}
	if best == nil {
		return s.list[0]
	}
	return best
}

// settle forgets the messages to a peer that were acknowledged, and sends again those that
// were lost with a path.
func (s *Set) settle(p *Peer) {
	left := p.unacked[:0]
	for _, o := range p.unacked {
		switch o.landed.Load() {
		case arrived:
			s.discard(p, o)
			continue
		case crashed:
			if p.buried {
				s.discard(p, o)
				continue
			}
			if s.again(p, o.device, o.err) {
				s.sendMessage(p, o)
			}
		}
		left = append(left, o)
	}
	clear(p.unacked[len(left):])
	p.unacked, p.settleAt = left, max(fewUnacked, 2*len(left))
}

func (s *Set) discard(p *Peer, o *sentMessage) {
	p.unackedBytes -= len(o.buf)
	s.spareMessages = append(s.spareMessages, o)
}

// Acknowledged tells whether a peer has acknowledged all messages; with one device, that suci has to know.
func (s *Set) Acknowledged(p *Peer) bool {
	s.settle(p)
	return len(p.unacked) == 0
}

// Take takes in a message that has come by a device. Options.Read gets it when all that its peer has sent before have
// come.
func (s *Set) Take(device int, r *suci.Received) {
	p := s.peer(r.From)
	if p == nil || p.buried || r.Err != nil {
		r.Free()
		return
	}
	s.Received(device, len(r.Data))
	s.Answered(p, device)
	if s.Several() {
		s.takeNumbered(p, r)
	} else {
		s.read(p, *r)
	}
}

// takeNumbered hands over a message that is the next one of its peer, and those that were waiting for it. One that is
// too early is kept, and one that has come before is dropped.
func (s *Set) takeNumbered(p *Peer, r *suci.Received) {
	n := len(r.Data) - numberSize
	if n < 0 { // a ping
		r.Free()
		return
	}
	number := binary.LittleEndian.Uint32(r.Data[n:])
	r.Data = r.Data[:n]
	switch ahead := int32(number - p.expected); {
	case ahead == 0:
		for next, ok := *r, true; ok; next, ok = p.early[p.expected] {
			delete(p.early, p.expected)
			p.expected++
			s.read(p, next)
		}
	case ahead < 0:
		r.Free()
	default:
		if _, twice := p.early[number]; twice {
			r.Free()
			break
		}
		if p.early == nil {
			p.early = map[uint32]suci.Received{}
		}
		p.early[number] = *r
	}
}
