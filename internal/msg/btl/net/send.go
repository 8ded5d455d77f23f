package net

import (
	"fmt"

	"github.com/gopvas/gopvas/btl"
)

// Send implements btl.Messages. It never returns a Transfer.
func (m *Module) Send(rank int, h *btl.Header, payload []byte) (btl.Transfer, bool) {
	return nil, m.SendBuffer(rank, h, btl.Buffer{Bytes: payload})
}

// SendBuffer implements btl.Messages.
func (m *Module) SendBuffer(rank int, h *btl.Header, src btl.Buffer) bool {
	n := src.Len()
	if n > m.eager {
		panic(fmt.Sprintf("net: send of %d bytes: above the eager limit of %d", n, m.eager))
	}
	m.noCredit = false
	p := m.reach(rank)
	if p == nil {
		m.counters.RefusedRing++
		return false
	}
	if !p.credit(uint32(n)) {
		m.poll() // more may have come
		m.gather()
	}
	if !p.credit(uint32(n)) {
		m.counters.RefusedCredit++
		m.noCredit = true
		return false
	}
	src.Pack(m.pile[headSize:headSize+n], 0)
	message := head{kind: eager, Header: *h}
	message.Length = uint64(n)
	if !m.write(p, &message, n) {
		m.counters.RefusedRing++
		return false
	}
	p.sent++
	p.sentBytes += uint32(n)
	m.counters.EagerSent++
	m.counters.EagerBytes += uint64(n)
	return true
}

// NoCredit implements btl.Messages.
func (m *Module) NoCredit() bool { return m.noCredit }

// credit tells whether a message of n bytes may be sent.
func (p *peer) credit(n uint32) bool {
	return p.sent-p.released < creditMessages && p.sentBytes-p.releasedBytes+n <= creditBytes
}

// Offer implements btl.Messages.
func (m *Module) Offer(rank int, h *btl.Header, src *btl.Buffer) (btl.Transfer, bool) {
	p := m.reach(rank)
	if p == nil {
		m.counters.RefusedRing++
		return nil, false
	}
	t := m.newSend()
	message := head{kind: offer, typed: src.Layout != nil, Header: *h, id: t.id()}
	message.Length = uint64(src.Len())
	if !m.write(p, &message, 0) {
		m.freeSend(t)
		m.counters.RefusedRing++
		return nil, false
	}
	t.peer, t.src, t.cargo.Peer = p, *src, &p.Peer
	m.devices.Join(&t.cargo, h, src.Len())
	m.counters.OfferedSent++
	m.counters.OfferedBytes += message.Length
	return t, true
}

// write sends a head, and the payload that is in the pile behind it. False means that the
// queue to the peer is full.
func (m *Module) write(p *peer, h *head, payload int) bool {
	h.released, h.bytes = p.freed, p.freedBytes
	h.put(m.pile)
	if !m.devices.Send(&p.Peer, m.pile[:headSize+payload]) {
		return false
	}
	p.told, p.toldBytes = p.freed, p.freedBytes
	return true
}

// owe notes that a message of the peer was released, and tells the peer when that is worth
// a message.
func (m *Module) owe(p *peer, n int) {
	p.freed++
	p.freedBytes += uint32(n)
	if !p.owing && (p.freed-p.told >= creditMessages/2 || p.freedBytes-p.toldBytes >= creditBytes/2) {
		p.owing = true
		m.owing = append(m.owing, p)
		m.pay()
	}
}

// pay tells the peers that wait for it what was released.
func (m *Module) pay() {
	left := m.owing[:0]
	for _, p := range m.owing {
		if p.Buried() || p.freed == p.told || m.write(p, &head{kind: credit}, 0) {
			p.owing = false
			continue
		}
		left = append(left, p)
	}
	m.owing = left
}
