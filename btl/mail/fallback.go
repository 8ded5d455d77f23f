package mail

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/shm"
)

// Zero-copy attempt and fallback. A short message in one address space arrives soonest if
// the receiver, which already waits for it, copies from the sender's own buffer. But a send of
// a short message must not depend on the receiver. So the sender offers the message and looks
// for a moment whether the receiver takes it. If not, the sender falls back: it copies the
// bytes into an eager buffer, and tells the receiver to take them from there.
//
// Two words of the descriptor decide from which of the two the receiver copies. Each holds the
// generation for which its writer has gone ahead:
//
//	sender                                    receiver
//	copy into the buffer, store at, lane
//	fallback = generation         (S1)        taking = generation            (R1)
//	if taking != generation: over (S2)        if fallback == generation:     (R2)
//	else wait for phaseDone                       copy from the buffer
//	                                          else copy from the sender
//	                                          phaseDone
//
// All are atomic operations of Go, so at least one of S2 and R2 finds the other's word: the
// sender never goes on while the receiver copies from its memory. If both find it, the
// sender waits without need: for a moment in Send, and then as for an offer. The buffer stays
// in use until phaseDone. As long as nobody falls back, neither word costs a transfer of
// its cache line: the sender reads taking, and writes the line of fallback, only to fall back.
//
// Send makes the attempt (sendZeroCopy) only if it is likely to succeed: when a message
// has come in since the last attempt, and less often to a receiver that did not come in
// time. In a row of sends without an answer, a wait for the receiver costs more than a second
// copy, which overlaps with the receiver's work. If a message comes for the sender meanwhile, its
// peer may be making an attempt, too, and both would look in vain. So the sender then lends the
// message: the attempt goes on while its caller takes what has come.
//
// A lent message falls back in Progress, which then has been called so many times in vain (lentLooks). Lend lends at once,
// as its caller does not wait (lending.go).
//
// The receiver ends either way with phaseDone. The sender takes the descriptor and the buffer
// of a fallback back in reap, when it needs them. The receiver needs no credit and no memory.

// mayFallBack tells whether the sender of an offer of n bytes may fall back. Both ends know.
func (b *Box) mayFallBack(n int) bool { return n <= b.eagerLimit && b.mem.Direct() }

// FallBack has the message fall back, if there is a buffer for it. Tests choose other moments for it than
// Send and Progress, and other messages. See fallBacker in btltest.
func (t *sendTransfer) FallBack() bool {
	b := t.box
	if t.buffer != 0 || t.d.state.Load()>>phaseBits == t.generation || !b.mayFallBack(t.src.Len()) {
		return false
	}
	i, ok := b.takeBuffer(t.peer, t.src.Len())
	return ok && t.fallBackInto(i)
}

// fallBackInto falls back to a buffer that was taken, which is the transfer's from now on. If
// it returns false the receiver is taking the message or has done so.
func (t *sendTransfer) fallBackInto(i int) bool {
	b := t.box
	t.buffer = i + 1
	if t.d.state.Load()>>phaseBits == t.generation {
		return false
	}
	buffers := &t.peer.buffers
	t.src.Pack(buffers.payload(i, t.src.Len()), 0)
	t.d.at.Store(buffers.at)
	t.d.lane.Store(uint64(buffers.stride)<<32 | uint64(i))
	shm.OrderRelease()
	t.d.fallback.Swap(t.generation)
	if t.d.taking.Load() == t.generation {
		return false
	}
	t.src, t.own.Bytes = nil, nil
	b.fallenBack = append(b.fallenBack, uint32(t.number))
	b.counters.Fallbacks++
	return true
}

// reap takes back the descriptors and buffers of fallbacks that the receiver has taken, or
// that nobody will take any more.
func (b *Box) reap() {
	left := b.fallenBack[:0]
	for _, number := range b.fallenBack {
		t := b.numbered(number)
		if t.d.state.Load() != t.generation<<phaseBits|phaseDone && !b.root.Gone(t.peer.rank) {
			left = append(left, number)
			continue
		}
		shm.OrderAcquire()
		t.finish()
	}
	b.fallenBack = left
}

// takeShort copies a message whose sender may fall back.
func (b *Box) takeShort(p *peer, d *descriptor, generation uint64, f *btl.Frame, dst *btl.Buffer, n int) bool {
	d.taking.Swap(generation)
	if d.fallback.Load() != generation {
		if n > 0 && dst.Layout == nil && f.Token&typedBit == 0 { // as take, without its calls
			copy(dst.Bytes, bytesAt(f.Place, n))
			return true
		}
		take(dst, f, d, n)
		return true
	}
	shm.OrderAcquire()
	at, lane := d.at.Load(), d.lane.Load()
	if at != p.theirBuffers.at && !b.attachBuffers(p, at, uint32(lane>>32)) {
		return false
	}
	dst.Unpack(p.theirBuffers.payload(int(uint32(lane)), n), 0)
	return true
}

// Bounds of attempts.
const (
	zeroCopyLooks = 100  // and pauses between them: about a microsecond
	takeLooks     = 1000 // the same, for a receiver that is taking the message
	lentLooks     = 100  // of Progress at a lent message
	maxSkip       = 63
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

// tryZeroCopy tells whether the next message to the peer is worth the try.
func (p *peer) tryZeroCopy() bool {
	if p.skip > 0 {
		p.skip--
		return false
	}
	return true
}

// took notes that the peer has taken a message from where it lay.
func (p *peer) took() { p.backoff = 0 }

// late notes that the peer did not come in time.
func (p *peer) late() {
	p.backoff = min(2*p.backoff+1, maxSkip)
	p.skip = p.backoff
}

// sendZeroCopy lets the receiver copy from the payload, for a moment. It takes a buffer first,
// and returns false as sendEager does if there is none. With a buffer it nearly always gets
// the payload back.
//
// It does not if the receiver is taking the message all the time that the sender looks. The
// receiver copies at most EagerLimit bytes, so it has lost its CPU, was stopped or killed.
// Then the message counts as offered, and the buffer stays in use until it is over.
func (b *Box) sendZeroCopy(p *peer, h *btl.Header, payload []byte) (btl.Transfer, bool) {
	i, ok := b.takeBuffer(p, len(payload))
	if !ok {
		b.counters.RefusedCredit++
		return nil, false
	}
	t := b.lend(p, h, payload)
	if t == nil {
		p.account.Put(i)
		return nil, false
	}
	t.buffer = i + 1
	switch t.attempt() {
	case taken:
		p.took()
		t.finish()
		return nil, true
	case crossing:
		t.patience = lentLooks
		return t, true
	}
	p.late()
	if t.fallBackInto(i) {
		return nil, true
	}
	if t.taken(takeLooks) {
		t.finish()
		return nil, true
	}
	return t, true
}

// What comes of an attempt.
type outcome uint8

const (
	untaken  outcome = iota
	taken            // the receiver has taken the message
	crossing         // a message is there for the sender
)

// attempt looks for a moment whether the receiver takes the message.
func (t *sendTransfer) attempt() outcome {
	for range zeroCopyLooks {
		s, _ := t.box.in.Front()
		if t.taken(1) { // looked at last: a message may be the receiver's answer
			return taken
		}
		if s != nil {
			return crossing
		}
	}
	return untaken
}

// taken looks whether the receiver has taken the message, so often at most.
func (t *sendTransfer) taken(looks int) bool {
	done := t.generation<<phaseBits | phaseDone
	for range looks {
		if t.d.state.Load() == done {
			shm.OrderAcquire()
			return true
		}
		pause()
	}
	return false
}
