package mail

import (
	"fmt"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/shm"
)

// Send implements btl.Messages.
func (b *Box) Send(rank int, h *btl.Header, payload []byte) (btl.Transfer, bool) {
	b.checkLimit(len(payload))
	p := b.reach(rank)
	if p == nil || !b.credit(p) {
		return nil, false
	}
	if len(payload) > InlineLimit {
		if b.zeroCopy && b.answering && p.tryZeroCopy() {
			b.answering = false
			return b.sendAttempting(p, h, payload)
		}
		return nil, b.sendEager(p, h, btl.Buffer{Bytes: payload})
	}
	s, pos := b.claim(p)
	if s == nil {
		return nil, false
	}
	m := messageOf(s)
	m.setHeader(h, b.rank, len(payload))
	b.publishInline(p, s, pos, payload)
	return nil, true
}

// reach returns a peer, or nil if it has not opened its mailbox yet.
func (b *Box) reach(rank int) *peer {
	if p := b.peers[rank]; p != nil {
		return p
	}
	b.noCredit = false
	return b.meet(rank)
}

// credit tells whether the peer takes one more message that is not offered.
func (b *Box) credit(p *peer) bool {
	if p.account.Credit() {
		return true
	}
	b.refuse()
	return false
}

// refuse notes that a message is not sent because the peer has not released enough.
func (b *Box) refuse() {
	b.counters.RefusedCredit++
	b.noCredit = true
}

// NoCredit implements btl.Messages.
func (b *Box) NoCredit() bool { return b.noCredit }

// checkLimit panics if a message is too long to be sent.
func (b *Box) checkLimit(n int) {
	if n > b.eagerLimit {
		panic(fmt.Sprintf("btl: send of %d bytes is above the eager limit of %d", n, b.eagerLimit))
	}
}

// SendBuffer implements btl.Messages.
func (b *Box) SendBuffer(rank int, h *btl.Header, src btl.Buffer) bool {
	n := src.Len()
	b.checkLimit(n)
	p := b.reach(rank)
	if p == nil || !b.credit(p) {
		return false
	}
	if n > InlineLimit {
		return b.sendEager(p, h, src)
	}
	s, pos := b.claim(p)
	if s == nil {
		return false
	}
	m := messageOf(s)
	m.setHeader(h, b.rank, n)
	src.Pack(m.inline[:n], 0)
	p.out.Publish(s, pos, kindInline)
	b.notify(p.inbox)
	p.account.Spend()
	b.counters.InlineSent++
	b.counters.InlineBytes += uint64(n)
	return true
}

// claim returns a slot of the peer's ring and its position, or nil if the ring is
// full; then this rank is notified when it no longer is.
func (b *Box) claim(p *peer) (s *shm.Slot, pos uint64) {
	for {
		if s, pos = p.out.Claim(); s != nil {
			return s, pos
		}
		if !p.out.Starve() {
			b.counters.RefusedRing++
			b.noCredit = false
			return nil, 0
		}
	}
}

// sendEager copies the payload before it claims a slot, because nobody's messages
// get past a claimed one.
func (b *Box) sendEager(p *peer, h *btl.Header, src btl.Buffer) bool {
	n := src.Len()
	i, ok := b.takeBuffer(p, n)
	if !ok {
		b.refuse()
		return false
	}
	src.Pack(p.buffers.payload(i, n), 0)
	s, pos := b.claim(p)
	if s == nil {
		p.account.Put(i)
		return false
	}
	m := messageOf(s)
	m.setHeader(h, b.rank, n)
	*m.eager() = eager{number: uint32(i), stride: p.buffers.stride, at: p.buffers.at}
	p.out.Publish(s, pos, kindEager)
	b.notify(p.inbox)
	p.account.Spend()
	b.counters.EagerSent++
	b.counters.EagerBytes += uint64(n)
	return true
}

// Offer implements btl.Messages.
func (b *Box) Offer(rank int, h *btl.Header, src *btl.Buffer) (btl.Transfer, bool) {
	p := b.reach(rank)
	if p == nil {
		return nil, false
	}
	t := b.transfer()
	if t == nil {
		return nil, false
	}
	if !b.offer(t, p, h, src) {
		return nil, false
	}
	b.counters.OfferedSent++
	b.counters.OfferedBytes += uint64(src.Len())
	return t, true
}

// offer announces a message by a free transfer; false if that cannot be done now.
func (b *Box) offer(t *sendTransfer, p *peer, h *btl.Header, src *btl.Buffer) bool {
	t.start(p, src)
	kind := uint8(kindOffered)
	if src.Layout != nil {
		t.d.src.set(src.Layout)
		if kind = kindTyped; t.stage() {
			kind = kindStaged
		}
	}
	s, pos := b.claim(p)
	if s == nil {
		t.finish()
		return false
	}
	m := messageOf(s)
	m.setHeader(h, b.rank, src.Len())
	o := m.offer()
	o.descriptor = t.generation<<numberBits | uint64(t.number)
	o.chunk = b.chunks[t.number/descriptors]
	o.addr = uint64(src.Place())
	shm.OrderRelease()
	p.out.Publish(s, pos, kind)
	b.notify(p.inbox)
	return true
}
