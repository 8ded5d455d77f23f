package net

import (
	"time"

	"github.com/gopvas/gopvas/suci"
)

// In a job with several devices a message of this package (wire.go) may go by any of them. If that
// device fails, it goes again by another. So it carries a number, by which the receiver puts
// messages in order and drops duplicates. The sender keeps it until it is acknowledged. With one
// device suci does all that.

// sentMessage is a message that was not acknowledged yet.
type sentMessage struct {
	outgoing
	buf []byte
}

const (
	// mostUnacked bounds the bytes of messages to a peer that are not acknowledged, as suci bounds its queue.
	mostUnacked = 4 << 20

	// spreadLeast is the length from which an eager message goes by the device that is free
	// first, with its head. Shorter ones go by the first one.
	spreadLeast = 512
)

// sendNumbered sends a message, of which b is the memory with the payload, and keeps it. False means
// that too much is under way.
func (m *Module) sendNumbered(p *peer, h *head, b []byte) bool {
	if p.unackedBytes > mostUnacked {
		m.settle(p)
		if p.unackedBytes > mostUnacked {
			return false
		}
	}
	if len(m.spareMessages) == 0 && len(p.unacked) > 0 && p.unacked[0].landed.Load() == arrived {
		m.settle(p) // their memory is used again before more is made
	}
	var s *sentMessage
	if k := len(m.spareMessages); k > 0 {
		s = m.spareMessages[k-1]
		m.spareMessages = m.spareMessages[:k-1]
	} else {
		s = &sentMessage{}
		s.done = func(err error) { s.land(len(s.buf), err) }
	}
	h.number = p.number
	p.number++
	h.put(b)
	s.buf = append(s.buf[:0], b...)
	p.unacked = append(p.unacked, s)
	p.unackedBytes += len(b)
	m.sendMessage(p, s)
	if len(p.unacked) >= 64 {
		m.settle(p)
	}
	return true
}

// sendMessage sends a message by the best path there is.
func (m *Module) sendMessage(p *peer, s *sentMessage) {
	m.hand(p, &s.outgoing, m.pathFor(p, len(s.buf), len(s.buf) >= spreadLeast),
		suci.Block{Data: s.buf, Priority: messageLane})
}

// pathFor returns the device by which so many bytes would be with the peer first; or if any
// will do, the first one that is up.
func (m *Module) pathFor(p *peer, n int, spread bool) *device {
	var best *device
	least := 0.0
	for _, d := range m.devices {
		if p.paths[d.number].state != up {
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
		return m.devices[0]
	}
	return best
}

// settle forgets the messages to a peer that were acknowledged, and sends again those that
// were lost with a path.
func (m *Module) settle(p *peer) {
	left := p.unacked[:0]
	for _, s := range p.unacked {
		switch s.landed.Load() {
		case arrived:
			m.discard(p, s)
			continue
		case crashed:
			if p.buried {
				m.discard(p, s)
				continue
			}
			if m.again(p, s.device, s.err) {
				m.sendMessage(p, s)
			}
		}
		left = append(left, s)
	}
	clear(p.unacked[len(left):])
	p.unacked = left
}

func (m *Module) discard(p *peer, s *sentMessage) {
	p.unackedBytes -= len(s.buf)
	m.spareMessages = append(m.spareMessages, s)
}

// usable tells whether a path to the peer is up.
func (p *peer) usable() bool { return p.others(-1) }

// sendAgain sends what was lost with paths.
func (m *Module) sendAgain() {
	for _, p := range m.peers {
		if p != nil && len(p.unacked) > 0 {
			m.settle(p)
		}
	}
	for _, d := range m.devices {
		m.collect(d)
	}
}

// inOrder tells whether a message is the next one of its peer. One that is too early is kept,
// and one that has come before is dropped.
func (m *Module) inOrder(p *peer, r *suci.Received, number uint32) bool {
	switch ahead := int32(number - p.expected); {
	case ahead == 0:
		p.expected++
		return true
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
	return false
}

// next returns the message that was too early and is not any more.
func (p *peer) next() (r suci.Received, ok bool) {
	if len(p.early) == 0 {
		return r, false
	}
	if r, ok = p.early[p.expected]; ok {
		delete(p.early, p.expected)
		p.expected++
	}
	return r, ok
}

// acknowledged tells whether a peer has acknowledged all messages.
func (m *Module) acknowledged(p *peer) bool {
	m.settle(p)
	return len(p.unacked) == 0
}

// flushTick is how often Flush looks at messages.
const flushTick = time.Millisecond
