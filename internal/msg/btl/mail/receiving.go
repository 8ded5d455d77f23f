package mail

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
	"github.com/gopvas/gopvas/shm"
)

var _ btl.Transfer = (*recvTransfer)(nil)

// recvTransfer is the receiver's end of an offered message.
type recvTransfer struct {
	next *recvTransfer // in the free list
	box  *Box
	peer *peer
	d    *descriptor // in the peer's mailbox

	generation uint64
	addr       uint64 // the sender's buffer (Buffer.Place)
	typed      bool   // which has a layout
	dst        *btl.Buffer
	take       int // bytes that are taken: the first of dst
	pos        int // bytes that are in dst; not used in phaseShared
	way        way
	began      int64 // when, if it is on trial; else 0
	staged     bool  // see staged.go
	waited     int   // looks in vain for new bytes of the peer
	seen       uint  // peer.blocks then
	reading    bool  // process_vm_readv has read some of it
	failed     error // why Accept has ended it; Progress returns it
}

// way is how the bytes of a transfer get over.
type way uint8

const (
	wayShared way = iota
	wayPiped
	wayCMA
)

// Accept implements btl.Messages.
func (b *Box) Accept(f *btl.Frame, dst *btl.Buffer) btl.Transfer {
	p := b.peers[f.Source]
	number := int(f.Token & (1<<numberBits - 1))
	d := descriptorAt(p.theirChunks[number/descriptors][number%descriptors*descriptorSize:])
	generation, typed := f.Token&^(typedBit|stagedBit)>>numberBits, f.Token&typedBit != 0
	n := int(min(uint64(dst.Len()), f.Length))
	direct := b.mem.Direct() || p.rank == b.rank
	if !direct && f.Length <= shortOffer {
		dst.Unpack(d.short[:n], 0)
		b.counters.PipelinedCopied++
		b.counters.PipelinedBytes += uint64(n)
		b.giveBack(p, d, generation)
		return nil
	}
	// A message that may fall back is copied by the receiver alone: the sender may have the payload back.
	mayFallBack := b.mayFallBack(int(f.Length))
	if (mayFallBack || n < b.sharing.from(typed || dst.Layout != nil)) && (direct || n == 0) {
		if mayFallBack {
			if err := b.takeShort(p, d, generation, f, dst, n); err != nil {
				b.giveBack(p, d, generation) // this rank cannot receive the message
				return b.newReceive().fail(fmt.Errorf("receive of %d bytes: %w", n, err))
			}
		} else {
			take(dst, f, d, n)
		}
		b.countDirect(n)
		b.giveBack(p, d, generation)
		return nil
	}
	t := b.newReceive()
	t.peer, t.d, t.generation, t.addr, t.typed = p, d, generation, f.Place, typed
	t.dst, t.take, t.pos, t.began = dst, n, 0, 0
	t.staged, t.waited, t.seen, t.reading = f.Token&stagedBit != 0, 0, p.blocks, false
	t.begin(direct)
	// A first step: it may be all that is needed, and starts the other end.
	switch done, err := t.step(); {
	case !done:
		return t
	case err != nil:
		return t.fail(err)
	}
	t.free()
	return nil
}

// newReceive returns a transfer that is not in use.
func (b *Box) newReceive() *recvTransfer {
	t := b.receives
	if t == nil {
		return &recvTransfer{box: b}
	}
	b.receives = t.next
	return t
}

// fail ends a transfer in Accept. No step may follow: the sender may use the descriptor for another message
// from now on, and a step would write into that.
func (t *recvTransfer) fail(err error) *recvTransfer {
	t.failed = err
	return t
}

// giveBack gives a message back to its sender that was taken in one go.
func (b *Box) giveBack(p *peer, d *descriptor, generation uint64) {
	shm.OrderRelease()
	d.state.Store(generation<<phaseBits | phaseDone)
	b.notify(p.inbox)
}

// begin chooses the way and tells the sender what it has to know.
func (t *recvTransfer) begin(direct bool) {
	switch {
	case t.staged:
		t.pipe()
	case direct:
		t.share(0)
	default:
		if t.way = t.choose(); t.way == wayPiped {
			t.pipe()
		}
	}
}

// cut is how the transfer is cut into chunks if both ends copy.
func (t *recvTransfer) cut() cut {
	return cut{take: uint64(t.take), typed: t.typed || t.dst.Layout != nil, staged: t.staged}
}

// share has both ends copy the bytes from from on, and those before in the same chunk again.
func (t *recvTransfer) share(from int) {
	t.way = wayShared
	if t.box.sharing.help {
		t.box.sharing.near.SettleFrom(t.peer.rank, t.dst, t.take)
	}
	take := uint64(t.take)
	if t.dst.Layout != nil {
		take |= typedTake
		t.d.dst.set(t.dst.Layout)
	}
	t.d.take.Store(take)
	t.d.place.Store(uint64(t.dst.Place()))
	skipped := uint64(from) / t.cut().size()
	t.d.cursor.Store(skipped * uint64(fromFront))
	t.d.copied.Store(skipped * t.cut().size())
	shm.OrderRelease()
	t.enter(phaseShared)
}

// pipe starts the pipeline.
func (t *recvTransfer) pipe() {
	t.way = wayPiped
	t.d.take.Store(uint64(t.take))
	t.d.drained.Store(0)
	t.enter(phasePiped)
}

// enter tells the sender the phase.
func (t *recvTransfer) enter(phase uint64) {
	t.d.state.Store(t.generation<<phaseBits | phase)
	t.box.notify(t.peer.inbox)
}

// Progress implements btl.Transfer.
func (t *recvTransfer) Progress() (done bool, err error) {
	if err = t.failed; err != nil {
		done = true
	} else {
		done, err = t.step()
	}
	if done {
		t.free()
	}
	return done, err
}

func (t *recvTransfer) free() {
	t.peer, t.d, t.dst, t.failed = nil, nil, nil, nil
	t.next, t.box.receives = t.box.receives, t
}

func (t *recvTransfer) step() (done bool, err error) {
	var moved bool
	switch t.way {
	case wayShared:
		done, moved = t.copyPart()
	case wayPiped:
		if done, moved, err = t.drain(); !done && !moved {
			moved = t.overtake()
		}
	default:
		done, moved, err = t.readProcess()
	}
	if done && t.began != 0 {
		t.box.trials.of(t.take).over(t, err != nil)
	}
	if done || moved {
		if moved && !done {
			t.box.again()
		}
		return done, err
	}
	// Only a sender that neither moves nor lives is lost; what it did before is
	// looked at first, above, but its death may have come in between.
	if !t.box.root.Gone(t.peer.rank) {
		return false, nil
	}
	if t.way == wayShared && t.d.copied.Load() == uint64(t.take) ||
		t.way == wayPiped && t.d.filled.Load() > uint64(t.pos) {
		return false, nil
	}
	if t.began != 0 {
		t.box.trials.of(t.take).over(t, true)
	}
	return true, fmt.Errorf("receive of %d bytes: %w", t.take, &fault.LostError{Rank: t.peer.rank})
}

// copyPart copies a chunk of a shared transfer, or finds that all are copied.
func (t *recvTransfer) copyPart() (done, moved bool) {
	if c := t.d.claim(t.box.rank < t.peer.rank, t.cut()); c.from < c.to {
		fetch(t.dst, t.addr, t.source(), c)
		t.d.copied.Add(c.to - c.from)
		moved = true
	}
	if t.d.copied.Load() != uint64(t.take) {
		return false, moved
	}
	shm.OrderAcquire()
	t.box.countDirect(t.take)
	shm.OrderRelease()
	t.enter(phaseDone)
	return true, true
}

func (b *Box) countDirect(n int) {
	b.counters.DirectCopied++
	b.counters.DirectBytes += uint64(n)
}

// errOtherPIDs is why a rank cannot name the process of another one to the kernel.
var errOtherPIDs = errors.New("the ranks are in different PID namespaces")

// maxRead is what one call reads of another process: some 50 us.
const maxRead = 512 << 10

// readProcess reads a part of the sender's buffer by process_vm_readv.
func (t *recvTransfer) readProcess() (done, moved bool, err error) {
	root, rank := t.box.root, t.peer.rank
	part := t.dst.Bytes[t.pos:min(t.pos+maxRead, t.take)]
	if !job.Knows(root, t.box.rank, rank) { // and --single-copy cma
		t.enter(phaseDone)
		return true, false, fmt.Errorf("receive of %d bytes from rank %d by cross memory attach: %w; "+
			"use --single-copy none", t.take, rank, errOtherPIDs)
	}
	n, err := sys.ReadProcess(root.Pid(rank), uintptr(t.addr)+uintptr(t.pos), part)
	switch {
	case root.PidOver(rank):
		// The sender has ended. Another process may have its pid now, and the bytes may be of that process.
		// The transfer fails when the end is noted (step): an earlier failure would be reported as the cause.
		return false, false, nil
	case err == nil && n > 0:
		if t.pos == 0 {
			root.NoteCMA(true)
		}
		t.reading = true
		t.pos += n
		if t.pos < t.take {
			return false, true, nil
		}
		t.box.counters.CMACopied++
		t.box.counters.CMABytes += uint64(t.take)
		t.enter(phaseRead)
		return true, true, nil
	case errors.Is(err, syscall.ESRCH) && !root.Gone(rank) && sys.Kill(root.Pid(rank), 0) == nil:
		// The sender is ending: it has no memory left, and its supervisor does not know of the end yet. Likewise.
		return false, false, nil
	case root.Gone(rank) || errors.Is(err, syscall.ESRCH):
		return true, false, fmt.Errorf("receive of %d bytes: %w", t.take, &fault.LostError{Rank: rank})
	case t.waited >= readPatience && !t.reading: // this sender does not let itself be overtaken
		t.way, t.waited = wayPiped, 0
		return false, false, nil
	case t.pos == 0 && root.Settings().SingleCopy == job.SingleCopyAuto:
		// Refused (EPERM, ENOSYS): by the kernel, a container, or a security module.
		root.NoteCMA(false)
		t.pipe()
		return false, true, nil
	}
	if err == nil {
		err = errors.New("process_vm_readv read nothing")
	}
	t.enter(phaseDone) // lets the sender go on; the message is lost to this rank
	if errors.Is(err, syscall.EFAULT) {
		return true, false, fmt.Errorf("receive of %d bytes from rank %d: a part of the buffer of this rank or of "+
			"that one is not mapped, or may not be accessed: %w", t.take, rank, err)
	}
	return true, false, fmt.Errorf("receive of %d bytes from rank %d by cross memory attach: %w; "+
		"use --single-copy none", t.take, rank, err)
}
