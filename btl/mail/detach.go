package mail

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
)

// A short message in one address space gets over fastest if the receiver, already
// waiting for it, copies from the sender's own buffer; but a sender of a short message
// must not depend on the receiver. So it offers, looks for a moment, and if nothing
// happens detaches: it copies the bytes into an eager buffer and tells the receiver
// to take them from there.
//
// Whether the receiver copies from the one or the other is decided by two words of the
// descriptor, each of which says for which generation its writer has gone ahead:
//
//	sender                                    receiver
//	copy into the buffer, store lane
//	detached = generation         (S1)        taking = generation            (R1)
//	if taking != generation: over (S2)        if detached == generation:     (R2)
//	else wait for phaseDone                       copy from the buffer
//	                                          else copy from the sender
//	                                          phaseDone
//
// All are atomic operations of Go, so one of S2 and R2 finds the other's word: never
// has the sender gone on while the receiver copies from its memory. (S1 and R1 swap: under
// the race detector a Store to mapped memory lets later loads go first.) If both do, the
// sender waits in vain, for a moment in Send and then as for an offer, and the buffer
// stays in use until phaseDone.
// Neither word costs a transfer of its cache line as long as nothing is detached: the
// sender reads taking, and writes where detached is, only to detach.
//
// Send does this by itself (sendLent), and only if it is likely to pay: when a message
// has come in since the last time (in a row of sends without an answer, to wait for
// the receiver each time costs more than a second copy, which overlaps with its
// work), and, each time that the receiver does not come, less often to it.
//
// In either case the receiver ends with phaseDone. The descriptor and the buffer of a detached message are taken back by reap, when
// there is a need for them. The receiver needs no credit for it and no memory.

// detachable tells whether an offer of n bytes may be detached. Both ends know.
func (b *Box) detachable(n int) bool { return n <= b.eagerLimit && b.mem.Direct() }

// Detach is what Send does with a message that it has lent. It is for tests, which choose
// other moments for it, and lend where Send would not: see detacher in btltest.
func (t *sendTransfer) Detach() bool {
	b := t.box
	if t.buffer != 0 || t.d.state.Load()>>phaseBits == t.generation || !b.detachable(t.src.Len()) {
		return false
	}
	i, ok := b.takeBuffer(t.peer)
	return ok && t.detachInto(i)
}

// detachInto detaches by means of a buffer that was taken, which is the transfer's from
// now on. If it returns false the receiver is taking the message or has done so.
func (t *sendTransfer) detachInto(i int) bool {
	b := t.box
	t.buffer = i + 1
	if t.d.state.Load()>>phaseBits == t.generation {
		return false
	}
	t.src.Pack(t.peer.buffers[i*b.bufferSize:], 0)
	t.d.lane.Store(uint64(i) + 1)
	orderRelease()
	t.d.detached.Swap(t.generation)
	if t.d.taking.Load() == t.generation {
		return false
	}
	t.src, t.lent.Bytes = nil, nil
	b.detached = append(b.detached, uint32(t.number))
	b.counters.Detached++
	return true
}

// takeBuffer takes an eager buffer for the peer. Without room for buffers there are
// no eager messages, and the caller offers them.
func (b *Box) takeBuffer(p *peer) (i int, ok bool) {
	if p.buffers == nil && !b.makeBuffers(p) {
		return 0, false
	}
	if i, ok = p.account.Take(); !ok && len(b.detached) > 0 {
		b.reap()
		i, ok = p.account.Take()
	}
	return i, ok
}

// reap takes back what detached messages needed that the receiver has taken, or that
// nobody will take any more.
func (b *Box) reap() {
	left := b.detached[:0]
	for _, number := range b.detached {
		t := b.numbered(number)
		if t.d.state.Load() != t.generation<<phaseBits|phaseDone && !b.root.Gone(t.peer.rank) {
			left = append(left, number)
			continue
		}
		orderAcquire()
		t.finish()
	}
	b.detached = left
}

// takeShort copies a message that may be detached.
func (b *Box) takeShort(p *peer, d *descriptor, generation uint64, f *btl.Frame, dst *btl.Buffer, n int) bool {
	d.taking.Swap(generation)
	if d.detached.Load() != generation {
		take(dst, f, d, n)
		return true
	}
	orderAcquire()
	if p.theirBuffers == nil && !b.attachBuffers(p) {
		return false
	}
	dst.Unpack(p.theirBuffers[int(d.lane.Load()-1)*b.bufferSize:][:n], 0)
	return true
}

// Bounds of lending.
const (
	lendLooks   = 100  // and pauses between them: about a microsecond
	takeLooks   = 1000 // the same, for a receiver that is taking the message
	maxLendSkip = 63
)

// stillness is never written to, which the compiler does not know: see pause.
var stillness atomic.Uint32

// pause lets some nanoseconds pass. A sender that looked without pause would take
// the line from the receiver between its two writes to it. What each step does next
// depends on a word that any goroutine might write, so no compiler may leave steps out.
func pause() {
	for range 20 {
		if stillness.Load() != 0 {
			return
		}
	}
}

// lend tells whether the next message to the peer is worth the try.
func (p *peer) lend() bool {
	if p.lendSkip > 0 {
		p.lendSkip--
		return false
	}
	return true
}

// sendLent sends a message by lending the payload for a moment. It takes a buffer
// first, and returns false as sendEager does if there is none, so that it is likely
// to get the payload back.
//
// It does not only if the receiver is taking the message all the time that it looks:
// that copies at most EagerLimit bytes, and so has lost its CPU, was stopped or killed.
// Then the message is as one that was offered, and the buffer stays in use until it
// is over.
func (b *Box) sendLent(p *peer, h *btl.Header, payload []byte) (btl.Transfer, bool) {
	i, ok := b.takeBuffer(p)
	if !ok {
		b.counters.RefusedCredit++
		return nil, false
	}
	t := b.transfer()
	if t != nil {
		t.lent.Bytes = payload
	}
	if t == nil || !b.offer(t, p, h, &t.lent) {
		p.account.Put(i)
		return nil, false
	}
	b.counters.EagerSent++
	b.counters.EagerBytes += uint64(len(payload))
	if t.taken(lendLooks) {
		t.finish()
		p.account.Put(i)
		p.lendBackoff = 0
		return nil, true
	}
	p.lendBackoff = min(2*p.lendBackoff+1, maxLendSkip)
	p.lendSkip = p.lendBackoff
	if t.detachInto(i) {
		return nil, true
	}
	if t.taken(takeLooks) {
		t.finish()
		return nil, true
	}
	return t, true
}

// taken looks whether the receiver has taken the message, so often at most.
func (t *sendTransfer) taken(looks int) bool {
	done := t.generation<<phaseBits | phaseDone
	for range looks {
		if t.d.state.Load() == done {
			orderAcquire()
			return true
		}
		pause()
	}
	return false
}
