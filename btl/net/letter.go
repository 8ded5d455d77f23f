package net

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/suci"
)

// Letters. In a job with several devices a message of this package (wire.go) may go by any of
// them. If that device fails, it goes again by another. So it carries a number, by which the
// receiver puts messages in order and drops duplicates. The sender keeps it, as a letter, until
// it is acknowledged. With one device suci does all that.

// letter is a message that is kept. The rank alone uses it, but for landed and what device.end
// does.
type letter struct {
	buf    []byte
	device *device
	err    error // written before landed
	landed atomic.Uint32
	done   func(error)
}

const (
	// mostLetters bounds the bytes of letters to a peer, as suci bounds its queue.
	mostLetters = 4 << 20

	// spreadLeast is the length from which an eager message goes by the device that is free
	// first. Shorter ones go by the first one.
	spreadLeast = 2 << 10
)

// post sends a message, of which b is the memory with the payload, and keeps it. False means
// that too much is under way.
func (m *Module) post(p *peer, h *head, b []byte) bool {
	if p.lettersBytes > mostLetters {
		m.settle(p)
		if p.lettersBytes > mostLetters {
			return false
		}
	}
	if len(m.blank) == 0 && len(p.letters) > 0 && p.letters[0].landed.Load() == arrived {
		m.settle(p) // their memory is used again before more is made
	}
	var l *letter
	if k := len(m.blank); k > 0 {
		l = m.blank[k-1]
		m.blank = m.blank[:k-1]
	} else {
		l = &letter{}
		l.done = l.land
	}
	h.number = p.number
	p.number++
	h.put(b)
	l.buf = append(l.buf[:0], b...)
	p.letters = append(p.letters, l)
	p.lettersBytes += len(b)
	m.sendLetter(p, l)
	if len(p.letters) >= 64 {
		m.settle(p)
	}
	return true
}

// sendLetter sends a letter by the best path there is.
func (m *Module) sendLetter(p *peer, l *letter) {
	d := m.pathFor(p, len(l.buf), len(l.buf) >= spreadLeast)
	l.device = d
	l.landed.Store(inAir)
	d.begin(len(l.buf))
	handle := p.paths[d.number].handle
	if handle == nil {
		l.land(suci.ErrGone)
		return
	}
	if err := handle.Start(suci.Block{Data: l.buf, Priority: messageLane}, l.done); err != nil {
		l.land(err)
		m.refused(p, d)
	}
}

// refused is for a path by which nothing can be sent.
func (m *Module) refused(p *peer, d *device) {
	if p.others(d.number) {
		m.takeDown(p, d)
	}
}

// land is called when the letter was acknowledged, or never will be.
func (l *letter) land(err error) {
	l.device.end(len(l.buf), err == nil)
	if err != nil {
		l.err = err
		l.landed.Store(crashed)
		l.device.m.disturbed.Store(true)
		return
	}
	l.landed.Store(arrived)
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
		t := e.Busy + e.Latency + float64(n)*1e9/e.Bandwidth
		if best == nil || t < least {
			best, least = d, t
		}
	}
	if best == nil {
		return m.devices[0]
	}
	return best
}

// settle forgets the letters to a peer that were acknowledged, and sends again those that
// were lost with a path.
func (m *Module) settle(p *peer) {
	left := p.letters[:0]
	for _, l := range p.letters {
		switch l.landed.Load() {
		case arrived:
			m.discard(p, l)
			continue
		case crashed:
			if p.buried {
				m.discard(p, l)
				continue
			}
			if m.again(p, l.device, l.err) {
				m.sendLetter(p, l)
			}
		}
		left = append(left, l)
	}
	clear(p.letters[len(left):])
	p.letters = left
}

func (m *Module) discard(p *peer, l *letter) {
	p.lettersBytes -= len(l.buf)
	m.blank = append(m.blank, l)
}

// again tells whether what a path has lost can be sent again now. If the peer does not answer by
// the last path, either, that is the end.
func (m *Module) again(p *peer, d *device, err error) bool {
	if errors.Is(err, suci.ErrLost) && !p.others(d.number) && !m.root.Gone(p.rank) {
		m.fail(m.unreachable(p, err))
	}
	return m.several() && !p.buried && p.usable() && m.failed.Load() == nil
}

// usable tells whether a path to the peer is up.
func (p *peer) usable() bool { return p.others(-1) }

// sendAgain sends what was lost with paths.
func (m *Module) sendAgain() {
	for _, p := range m.peers {
		if p != nil && len(p.letters) > 0 {
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

// drainLetters tells whether all letters to a peer were acknowledged.
func (m *Module) drainLetters(p *peer) bool {
	m.settle(p)
	return len(p.letters) == 0
}

// flushTick is how often Flush looks at letters.
const flushTick = time.Millisecond
