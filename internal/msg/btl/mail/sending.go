package mail

import (
	"fmt"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/mpi/fault"
	"github.com/gopvas/gopvas/shm"
)

var _ btl.Transfer = (*sendTransfer)(nil)

// sendTransfer is the sender's end of an offered message.
type sendTransfer struct {
	box        *Box
	d          *descriptor
	number     int    // of the descriptor
	generation uint64 // of its use

	peer      *peer
	src       *btl.Buffer // keeps the memory reachable, which the receiver knows by address only
	own       btl.Buffer  // what src is of an eager message
	staged    bool        // see staged.go
	filled    int         // pipelined: bytes put into the lane so far
	lane      int         // number plus one; 0: none
	buffer    int         // eager buffer that it has, plus one; 0: none
	failures  uint32      // of the peer when an attempt began
	copied    []byte      // of a fallback without a buffer: the receiver knows it by address only
	looksLeft int         // until a pending attempt falls back; 0: none is pending
}

// transfer returns one that is free, or nil if there is no memory for more. That
// there is no other bound matters: a receive must find its message however many
// others the sender has offered before it that are not received yet.
func (b *Box) transfer() *sendTransfer {
	if len(b.unused) == 0 {
		b.reap()
	}
	if len(b.unused) == 0 {
		mem, at, err := b.nextChunk()
		if err != nil || len(b.sending)*descriptors >= 1<<numberBits {
			return nil
		}
		b.addChunk(mem, at)
	}
	last := len(b.unused) - 1
	t := b.numbered(b.unused[last])
	b.unused = b.unused[:last]
	return t
}

func (b *Box) numbered(n uint32) *sendTransfer {
	return &b.sending[n/descriptors][n%descriptors]
}

// nextChunk returns memory for more descriptors: first that of the mailbox. A rank that offers nothing
// has no transfers.
func (b *Box) nextChunk() (mem []byte, at uint64, err error) {
	if first := b.geometry.firstChunk; len(b.sending) == 0 {
		return b.own[first : first+chunkBytes], b.at + uint64(first), nil
	}
	return b.mem.Alloc(chunkBytes)
}

// addChunk makes transfers of the descriptors in mem, which are zeros.
func (b *Box) addChunk(mem []byte, at uint64) {
	first := len(b.sending) * descriptors
	chunk := new([descriptors]sendTransfer)
	for i := range chunk {
		chunk[i] = sendTransfer{box: b, number: first + i, d: descriptorAt(mem[i*descriptorSize:])}
	}
	for i := descriptors - 1; i >= 0; i-- {
		b.unused = append(b.unused, uint32(first+i))
	}
	b.sending, b.chunks = append(b.sending, chunk), append(b.chunks, at)
}

// start takes the transfer into use. The caller publishes the offer after it.
func (t *sendTransfer) start(p *peer, src *btl.Buffer) {
	t.generation++
	t.peer, t.src = p, src
	t.staged = false
	if t.box.mem.Direct() {
		return
	}
	if src.Len() <= shortOffer {
		src.Pack(t.d.short[:src.Len()], 0)
	}
	t.filled, t.lane = 0, 0
	t.d.filled.Store(0)
	t.d.lane.Store(0)
}

// finish gives the descriptor back.
func (t *sendTransfer) finish() {
	b := t.box
	if t.lane != 0 {
		b.freeLane |= 1 << (t.lane - 1)
		b.again() // a transfer that was asked before this one may be waiting for it
	}
	if t.buffer != 0 {
		t.peer.account.Put(t.buffer - 1)
	}
	t.src, t.own.Bytes, t.copied, t.peer, t.lane, t.buffer, t.looksLeft = nil, nil, nil, nil, 0, 0, 0
	b.unused = append(b.unused, uint32(t.number))
}

// Progress implements btl.Transfer.
func (t *sendTransfer) Progress() (done bool, err error) {
	state := t.d.state.Load()
	phase := uint64(0)
	if state>>phaseBits == t.generation {
		phase = state & (1<<phaseBits - 1)
	}
	switch {
	case phase >= phaseDone:
		shm.OrderAcquire()
		if t.lane != 0 && !t.staged || phase == phaseRead {
			t.peer.piped = phase == phaseDone
		}
		if t.looksLeft > 0 {
			t.peer.attemptSucceeded()
		}
		t.finish()
		return true, nil
	case t.looksLeft > 0: // the receiver copies such a message alone, so there are no phases in between
		if t.countDown() {
			return true, nil
		}
	case phase == phaseShared:
		if t.box.sharing.help && t.helpOut() {
			return false, nil
		}
	case phase == phasePiped || t.staged || t.peer.piped && t.src.Len() > shortOffer:
		if t.fill(phase == phasePiped) {
			return false, nil
		}
	}
	return t.checkPeer()
}

// checkPeer ends the transfer if the receiver has gone without having finished it.
func (t *sendTransfer) checkPeer() (done bool, err error) {
	rank := t.peer.rank
	if !t.box.root.Gone(rank) {
		return false, nil
	}
	// What it did last is final now, and may have been this.
	if t.d.state.Load() < t.generation<<phaseBits|phaseDone {
		err = fmt.Errorf("send of %d bytes: %w", t.src.Len(), &fault.LostError{Rank: rank})
	}
	t.finish()
	return true, err
}

// helpOut copies one chunk of a shared transfer; false if none is left.
//
// The receiver has not stored phaseDone as long as a claimed chunk is not counted
// in copied, so its buffer is there for as long as the copying takes.
func (t *sendTransfer) helpOut() bool {
	take := t.d.take.Load()
	theirs := take&typedTake != 0
	take &^= typedTake
	c := t.d.claim(t.box.rank < t.peer.rank, cut{take, t.src.Layout != nil || theirs, t.staged})
	n := c.to - c.from
	if n == 0 {
		return false
	}
	shm.OrderAcquire()
	if place := t.d.place.Load(); theirs {
		put(place, &t.d.dst, t.src, c)
	} else {
		t.src.Pack(bytesAt(place+c.from, int(n)), int(c.from))
	}
	shm.OrderRelease()
	t.d.copied.Add(n)
	t.box.notify(t.peer.inbox)
	t.box.counters.HelpedBytes += n
	t.box.again()
	return true
}
