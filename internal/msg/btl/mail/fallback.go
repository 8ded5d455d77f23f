package mail

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/shm"
)

// Zero-copy attempt and fallback. A short message in one address space arrives soonest if
// the receiver, which already waits for it, copies from the sender's own buffer. But a send of
// a short message must not depend on the receiver. So the sender offers the message and looks
// for a moment whether the receiver takes it. If not, the sender falls back: it copies the
// bytes into an eager buffer, and tells the receiver to take them from there. A pending attempt
// that finds no buffer copies them to the sender's heap.
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
// sender keeps the payload without need. Send then looks takeLooks times for phaseDone, and
// returns a Transfer. Progress returns, and a later call finds phaseDone. The buffer stays in
// use until phaseDone. As long as nobody falls back, neither word costs a transfer of its cache
// line: the sender reads taking, and writes the line of fallback, only to fall back.
//
// Send makes the attempt (sendAttempting) only if it is likely to succeed: when a message
// has come in since the last attempt, and less often to a receiver that did not come in
// time. In a row of sends without an answer, a wait for the receiver costs more than a second
// copy, which overlaps with the receiver's work. If a message comes for the sender meanwhile, its
// peer may be making an attempt, too, and both would look in vain. So Send returns then, and the
// attempt is pending: it goes on while the caller takes what has come. Attempts of SendZeroCopy are pending from the
// start, as its caller does not wait (zerocopy.go).
//
// A pending attempt falls back in the pendingLooks-th call of Progress that finds it untaken.
//
// The receiver ends either way with phaseDone. The sender takes the descriptor and the buffer
// of a fallback back in reap, when it needs them. The receiver needs no credit and no memory.

// mayFallBack tells whether the sender of an offer of n bytes may fall back. Both ends know.
func (b *Box) mayFallBack(n int) bool { return n <= b.eagerLimit && b.mem.Direct() }

// FallBack makes the message fall back, to a copy on the heap if there is no buffer for it. Tests choose other moments
// for it than Send and Progress, and other messages. See fallBacker in btltest.
func (t *sendTransfer) FallBack() bool {
	b := t.box
	if t.buffer != 0 || t.copied != nil || t.d.state.Load()>>phaseBits == t.generation || !b.mayFallBack(t.src.Len()) {
		return false
	}
	i, ok := b.takeBuffer(t.peer, t.src.Len())
	if !ok {
		return t.fallBackToCopy()
	}
	return t.fallBackInto(i)
}

// copies are the fallbacks to the heap that are not over.
type copies struct {
	numbers []uint32
	next    int      // place of the next one to look at
	bytes   int      // by job.AheadLimit
	spare   [][]byte // memory of copies that are over: a sender whose receiver is often late allocates nothing
}

const (
	reapedAtOnce = 16 // bounds how many copies a fallback looks at: there may be thousands
	mostSpare    = 32
)

// take returns memory for a copy of n bytes.
func (c *copies) take(n int) []byte {
	if last := len(c.spare) - 1; last >= 0 {
		memory := c.spare[last]
		if c.spare = c.spare[:last]; cap(memory) >= n {
			return memory[:n]
		}
	}
	return make([]byte, n)
}

// give takes memory back. The receiver has no use for it any more.
func (c *copies) give(memory []byte) {
	if len(c.spare) < mostSpare {
		c.spare = append(c.spare, memory)
	}
}

// reapCopies gives back some copies that their receivers have taken.
func (b *Box) reapCopies() {
	c := &b.copies
	for range min(reapedAtOnce, len(c.numbers)) {
		c.next %= len(c.numbers)
		t := b.numbered(c.numbers[c.next])
		if !b.taken(t) {
			c.next++
			continue
		}
		c.bytes -= len(t.copied) + job.AheadCost
		last := len(c.numbers) - 1
		c.numbers[c.next] = c.numbers[last]
		c.numbers = c.numbers[:last]
		c.give(t.copied)
		t.finish()
	}
}

// fallBackToCopy is fallBackInto without a buffer. It returns false as well if the copies take all the memory that they
// may.
func (t *sendTransfer) fallBackToCopy() bool {
	c, n := &t.box.copies, t.src.Len()
	if t.box.reapCopies(); c.bytes+n+job.AheadCost > job.AheadLimit {
		return false
	}
	c.bytes += n + job.AheadCost
	copied := btl.Buffer{Bytes: c.take(n)}
	t.src.Pack(copied.Bytes, 0)
	t.copied = copied.Bytes
	t.d.at.Store(0)
	t.d.lane.Store(uint64(copied.Place()))
	if !t.fallenBack(&c.numbers) {
		c.bytes -= n + job.AheadCost
		return false
	}
	return true
}

// fallBackInto falls back to a buffer that was taken, which is the transfer's from now on. If
// it returns false the receiver is taking the message or has done so.
func (t *sendTransfer) fallBackInto(i int) bool {
	t.buffer = i + 1
	if t.d.state.Load()>>phaseBits == t.generation {
		return false
	}
	buffers := &t.peer.buffers
	t.src.Pack(buffers.payload(i, t.src.Len()), 0)
	t.d.at.Store(buffers.at)
	t.d.lane.Store(uint64(buffers.stride)<<32 | uint64(i))
	return t.fallenBack(&t.box.fallenBack)
}

// fallenBack makes the receiver take the message from where at and lane say; false: it is taking it from the payload.
func (t *sendTransfer) fallenBack(list *[]uint32) bool {
	shm.OrderRelease()
	t.d.fallback.Swap(t.generation)
	if t.d.taking.Load() == t.generation {
		return false
	}
	t.src, t.own.Bytes = nil, nil
	*list = append(*list, uint32(t.number))
	t.box.counters.Fallbacks++
	return true
}

// reap takes back the descriptors and buffers of fallbacks that the receiver has taken, or
// that nobody will take any more.
func (b *Box) reap() {
	left := b.fallenBack[:0]
	for _, number := range b.fallenBack {
		t := b.numbered(number)
		if b.taken(t) {
			t.finish()
		} else {
			left = append(left, number)
		}
	}
	b.fallenBack = left
}

// taken tells whether the receiver has taken the message of a fallback, or has gone.
func (b *Box) taken(t *sendTransfer) bool {
	if t.d.state.Load() != t.generation<<phaseBits|phaseDone && !b.root.Gone(t.peer.rank) {
		return false
	}
	shm.OrderAcquire()
	return true
}

// takeShort copies a message whose sender may fall back. After an error it can be called again.
func (b *Box) takeShort(p *peer, d *descriptor, generation uint64, f *btl.Frame, dst *btl.Buffer, n int) error {
	d.taking.Swap(generation)
	if d.fallback.Load() != generation {
		if n > 0 && dst.Layout == nil && f.Token&typedBit == 0 { // as take, without its calls
			copy(dst.Bytes, bytesAt(f.Place, n))
			return nil
		}
		take(dst, f, d, n)
		return nil
	}
	shm.OrderAcquire()
	at, lane := d.at.Load(), d.lane.Load()
	if at == 0 { // a copy on the sender's heap
		dst.Unpack(bytesAt(lane, n), 0)
		return nil
	}
	if at != p.theirBuffers.at {
		if err := b.attachBuffers(p, at, uint32(lane>>32)); err != nil {
			return err
		}
	}
	dst.Unpack(p.theirBuffers.payload(int(uint32(lane)), n), 0)
	return nil
}

// Bounds of attempts.
const (
	zeroCopyLooks = 100  // and pauses between them: about a microsecond
	takeLooks     = 1000 // the same, for a receiver that is taking the message
	pendingLooks  = 100  // of Progress at a pending attempt
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

// attemptSucceeded notes that the peer has copied a message from where it lay.
func (p *peer) attemptSucceeded() { p.backoff = 0 }

// attemptFailed notes that the peer did not come in time. Of the attempts that were pending together the first one
// counts: one late moment makes all of them fail.
func (t *sendTransfer) attemptFailed() {
	p := t.peer
	if t.failures != p.failures {
		return
	}
	p.failures++
	p.backoff = min(2*p.backoff+1, maxSkip)
	p.skip = p.backoff
}

// sendAttempting lets the receiver copy from the payload, for a moment. It takes a buffer first,
// and returns false as sendEager does if there is none. With a buffer it returns a Transfer in two cases. A message
// has come: then the attempt is pending, and keeps the buffer for the fallback. Or the receiver is taking the
// message all the time that the sender looks. The receiver copies at most EagerLimit bytes, so it has lost its CPU, was
// stopped or killed. Then the message counts as offered, and the buffer stays in use until it is over.
func (b *Box) sendAttempting(p *peer, h *btl.Header, payload []byte) (btl.Transfer, bool) {
	i, ok := b.takeBuffer(p, len(payload))
	if !ok {
		b.refuse()
		return nil, false
	}
	t := b.beginAttempt(p, h, payload)
	if t == nil {
		p.account.Put(i)
		return nil, false
	}
	t.buffer = i + 1
	switch t.attempt() {
	case attemptTaken:
		p.attemptSucceeded()
		t.finish()
		return nil, true
	case attemptCrossed:
		t.pend()
		return t, true
	}
	t.attemptFailed()
	if t.fallBackInto(i) {
		return nil, true
	}
	if t.pollDone(takeLooks) {
		t.finish()
		return nil, true
	}
	return t, true
}

// What comes of an attempt.
type outcome uint8

const (
	attemptTimedOut outcome = iota
	attemptTaken            // the receiver has taken the message
	attemptCrossed          // a message is there for the sender
)

// attempt looks for a moment whether the receiver takes the message.
func (t *sendTransfer) attempt() outcome {
	for range zeroCopyLooks {
		// The order of these two looks counts. The receiver stores phaseDone before it sends an answer, so
		// a sender that sees the answer also sees phaseDone.
		s, _ := t.box.in.Front()
		if t.pollDone(1) {
			return attemptTaken
		}
		if s != nil {
			return attemptCrossed
		}
	}
	return attemptTimedOut
}

// pollDone looks whether the receiver has taken the message, so often at most.
func (t *sendTransfer) pollDone(looks int) bool {
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
