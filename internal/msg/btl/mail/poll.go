package mail

import (
	"fmt"
	"math/bits"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/shm"
)

// Poll implements btl.Messages.
func (b *Box) Poll(max int, deliver func(*btl.Frame)) int {
	for n := range max {
		s, kind := b.in.Front()
		for s == nil {
			if b.root.GoneCount() == 0 || !b.skipDead() {
				return n
			}
			s, kind = b.in.Front()
		}
		m := messageOf(s)
		f := &b.frame
		f.Header = m.Header
		p := b.peers[m.Source] // not f's, which would have to wait for the copy
		if p == nil {
			if p = b.meet(int(f.Source)); p == nil {
				return n // Sleep says why
			}
		}
		f.Inline, f.Offered, f.Token, f.Place = false, false, 0, 0
		switch kind {
		case kindInline:
			f.Payload = m.inline[:f.Length:f.Length]
			f.Inline = true
		case kindEager:
			e := m.eager()
			if e.at != p.theirBuffers.at {
				if err := b.attachBuffers(p, e.at, e.stride); err != nil {
					b.fail(err)
					return n
				}
			}
			f.Payload = p.theirBuffers.payload(int(e.number), int(f.Length))
			f.Token = uint64(e.number) + 1
		default:
			shm.OrderAcquire()
			o := m.offer()
			if !b.attachChunk(p, o) {
				return n
			}
			f.Payload, f.Offered, f.Token, f.Place = nil, true, o.descriptor, o.addr
			switch kind {
			case kindStaged:
				f.Token |= typedBit | stagedBit
			case kindTyped:
				f.Token |= typedBit
			}
		}
		b.counters.Received++
		b.answering = true
		deliver(f)
		if b.in.Pop() {
			b.feed()
		}
	}
	b.again()
	return max
}

// feed notifies the ranks that found this rank's ring full.
func (b *Box) feed() {
	for set := b.in.Starved(); set != 0; set &= set - 1 {
		for rank := bits.TrailingZeros64(set); rank < b.root.Ranks(); rank += 64 {
			b.notify(b.root.Inbox(rank))
		}
	}
}

// Senders implements btl.Messages.
func (b *Box) Senders(f func(rank int)) {
	b.in.Each(func(s *shm.Slot) { f(int(messageOf(s).Source)) })
}

// skipDead steps over the front slot if the rank that claimed it has gone without
// having published it, and tells whether there is anything new to look at.
func (b *Box) skipDead() bool {
	rank, ok := b.in.Claimant()
	if !ok || !b.root.Gone(rank) {
		return false
	}
	// It has gone, so this look at the slot is final; that before was not.
	if _, ok := b.in.Claimant(); ok && b.in.Skip() {
		b.feed()
	}
	return true
}

// attachChunk makes sure that the descriptor of an offer can be found.
func (b *Box) attachChunk(p *peer, o *offer) bool {
	chunk := int(o.descriptor&(1<<numberBits-1)) / descriptors
	if chunk < len(p.theirChunks) && p.theirChunks[chunk] != nil {
		return true
	}
	mem, err := b.mem.Attach(p.rank, o.chunk, chunkBytes)
	if err != nil {
		b.fail(fmt.Errorf("descriptors: %w", err))
		return false
	}
	for chunk >= len(p.theirChunks) {
		p.theirChunks = append(p.theirChunks, nil)
	}
	p.theirChunks[chunk] = mem
	return true
}

// Release implements btl.Messages.
func (b *Box) Release(f *btl.Frame) {
	p := b.peers[f.Source]
	if f.Token != 0 {
		p.returns.Buffer(int(f.Token - 1))
	}
	p.returns.Message()
}
