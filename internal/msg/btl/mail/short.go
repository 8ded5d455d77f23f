package mail

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/shm"
)

var _ btl.Short = (*Box)(nil)

// SendShort implements btl.Short, for messages that go inline.
func (b *Box) SendShort(rank int, context uint32, tag int32, payload []byte) bool {
	p := b.peers[rank]
	if p == nil || len(payload) > InlineLimit || !p.account.Credit() {
		return false
	}
	s, pos := p.out.Claim()
	if s == nil {
		return false
	}
	m := messageOf(s)
	m.Source, m.Tag, m.Context, m.Flags = int32(b.rank), tag, context, 0
	m.Length, m.Cookie = uint64(len(payload)), 0
	b.publishInline(p, s, pos, payload)
	return true
}

// publishInline sends a message whose header is in its slot, with its bytes beside it.
func (b *Box) publishInline(p *peer, s *shm.Slot, pos uint64, payload []byte) {
	copy(messageOf(s).inline[:], payload)
	p.out.Publish(s, pos, kindInline)
	b.notify(p.inbox)
	p.account.Spend()
	b.counters.InlineSent++
	b.counters.InlineBytes += uint64(len(payload))
}

// TakeShort implements btl.Short, for inline and eager messages. Of a slot whose producer has died it sees nothing:
// Poll steps over it.
func (b *Box) TakeShort(looks, rank int, context uint32, tag int32, buf []byte) (n int, got int32, ok bool) {
	s, kind := b.in.Front()
	for ; s == nil; looks-- {
		if looks == 0 {
			return 0, 0, false
		}
		s, kind = b.in.Front()
	}
	m := messageOf(s)
	got = m.Tag
	length := m.Length
	if int(m.Source) != rank || m.Context != context || got != tag && tag >= 0 || length > uint64(len(buf)) {
		return 0, 0, false
	}
	p := b.peers[rank]
	if p == nil {
		return 0, 0, false
	}
	if kind == kindInline {
		copy(buf, m.inline[:length])
		p.returns.Message()
	} else if !b.takeElsewhere(p, m, kind, buf[:length]) {
		return 0, 0, false
	}
	b.counters.Received++
	b.answering = true
	if b.in.Pop() {
		b.feed()
	}
	return int(length), got, true
}

// takeElsewhere takes the bytes of an eager message, and of an offered one whose sender may fall back. It
// returns false for all others, and if memory cannot be attached: then Poll or Accept reports the error.
func (b *Box) takeElsewhere(p *peer, m *message, kind uint8, buf []byte) bool {
	switch {
	case kind == kindEager:
		e := m.eager()
		if e.at != p.theirBuffers.at && b.attachBuffers(p, e.at, e.stride) != nil {
			return false
		}
		copy(buf, p.theirBuffers.payload(int(e.number), len(buf)))
		p.returns.Buffer(int(e.number))
		p.returns.Message()
		return true
	case kind != kindOffered || !b.mayFallBack(len(buf)):
		return false
	}
	shm.OrderAcquire()
	o := m.offer()
	if !b.attachChunk(p, o) {
		return false
	}
	number, generation := int(o.descriptor&(1<<numberBits-1)), o.descriptor>>numberBits
	d := descriptorAt(p.theirChunks[number/descriptors][number%descriptors*descriptorSize:])
	b.frame.Place, b.frame.Token = o.addr, o.descriptor
	b.short.Bytes = buf
	done := b.takeShort(p, d, generation, &b.frame, &b.short, len(buf)) == nil
	b.short.Bytes = nil
	if done {
		b.countDirect(len(buf))
		b.giveBack(p, d, generation)
	}
	return done
}
