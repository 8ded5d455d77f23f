package coll

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/coll/cad"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/shm"
)

// The slot algorithm, for broadcasts with more ranks than CPUs. The root writes its bytes into
// a slot and goes on. Each other member takes them when it gets there. Nobody waits for members
// that are behind: a rank that has a CPU does as many calls as it can, until it needs a slot
// that is not written yet.
//
// A member has some slots and uses them in turn, by the number of the call. It writes a slot when
// all members have completed the call that the slot was written for before (slot.passed). So it
// gets ahead of the others by at most as many calls. A vector that is longer than a slot goes in
// pieces, each of which is a call by itself. All slots of a board have bounded memory: many
// members have fewer slots each, and shorter pieces.
//
// A member that has taken its bytes notifies the root of the call: nobody else waits for that
// slot to be free.
//
// A member that waits for a slot, written or free, looks for arrivals at the board too, as
// in flat.go. If there are any, and the slot is not there, calls do not match. Members then
// arrive in different calls, so the signature of an arrival has the number of the call.

const (
	mostSlots  = 16         // of a member
	boardSlots = 1024       // of all members, if two a member are fewer
	shortSlot  = 17*64 - 16 // longest vector that lies in the slot itself
	mostPiece  = 32 << 10   // longest piece; it lies behind all slots, so that short ones touch few pages
	boardPiece = 8 << 20    // all pieces of a board
	lingering  = 28         // yields of a member before it waits as for anything else
)

// bcastSlot holds the bytes of a broadcast. Only its root writes it.
type bcastSlot struct {
	call atomic.Uint64 // number of the call, when all else is there
	sig  uint64
	data [shortSlot]byte
}

// slotCount returns how many slots a member has, and pieceSize how long a piece may be. In one
// address space there are no long pieces: the members share the work of long vectors, and copy
// them once.
func (t *Team) slotCount() int { return max(2, min(mostSlots, boardSlots/t.Size)) }

func (t *Team) pieceSize() int {
	if t.Engine.Memory(t.World).Direct() {
		return shortSlot
	}
	return max(shortSlot, min(mostPiece, boardPiece/(t.Size*t.slotCount())/cacheLine*cacheLine))
}

// bcastBySlot does a broadcast by slots.
func bcastBySlot(t *Team) {
	piece := t.pieceSize()
	for at := 0; at < t.size; at += piece {
		if !t.bcastPieceBySlot(at, min(piece, t.size-at)) {
			return
		}
	}
}

// bcastPieceBySlot does it for n bytes from at on. It returns false if the call has failed.
func (t *Team) bcastPieceBySlot(at, n int) bool {
	k, ok := t.enter()
	if !ok {
		return false
	}
	p := t.slotOf(k)
	if t.Rank != t.args.Root {
		return t.takeSlot(p, k, at, n)
	}
	if !t.await(k, emptied) {
		return false
	}
	if !t.allPassed(p.call.Load()) {
		t.meet(k)
		return false
	}
	p.sig = t.call
	out := t.args.Send.own()
	out.Pack(t.slotData(p, k, n), at)
	shm.OrderRelease()
	p.call.Store(k)
	t.board.slots[t.Rank].passed.Store(k)
	t.wake()
	return true
}

// takeSlot takes a piece out of its slot.
func (t *Team) takeSlot(p *bcastSlot, k uint64, at, n int) bool {
	t.linger(k)
	if !t.await(k, written) {
		return false
	}
	shm.OrderAcquire()
	if p.call.Load() != k {
		t.meet(k)
		return false
	}
	if p.sig == t.call {
		in := t.args.Recv.own()
		in.Unpack(t.slotData(p, k, n), at)
	} else {
		t.note(cad.Between(t.world(t.args.Root), p.sig, t.world(t.Rank), t.call))
	}
	shm.OrderRelease()
	t.board.slots[t.Rank].passed.Store(k)
	t.inboxes[t.args.Root].Notify()
	return t.failure.Fault == 0
}

// linger lets other processes run until the slot of call k is written, but not for long. Members
// run in turn here, and where few share a CPU, several turns pass before the root has its own. A
// member that slept meanwhile would be woken from the other CPU, and may stay there: then that
// one has still more members, and this one fewer.
func (t *Team) linger(k uint64) {
	t.phase = written
	for range lingering {
		if t.reached(k) || t.Engine.GoneCount() != 0 {
			return
		}
		t.Engine.Progress()
		sys.Yield()
	}
}

// fitsSlot tells whether vectors of n bytes fit into the slots of a member. A longer one would have
// the root wait for the others.
func fitsSlot(t *Team, n int) bool {
	return t.slotted() && (n <= shortSlot || t.pieceSize() > shortSlot && n <= t.slotCount()*t.pieceSize())
}

// slotted tells whether the team's board has slots for broadcasts.
func (t *Team) slotted() bool { return oversubscribed(t, 0) }

// slotOf returns the slot of call k, and slotData where its n bytes lie.
func (t *Team) slotOf(k uint64) *bcastSlot { return &t.board.bcasts[t.slotIndex(k)] }

func (t *Team) slotIndex(k uint64) int {
	n := t.slotCount()
	return t.args.Root*n + int(k%uint64(n))
}

func (t *Team) slotData(p *bcastSlot, k uint64, n int) []byte {
	if n <= shortSlot {
		return p.data[:n]
	}
	return t.board.long[t.slotIndex(k)*t.pieceSize():][:n]
}

// allPassed tells whether all members have completed call k.
func (t *Team) allPassed(k uint64) bool {
	for i := 1; i < t.Size; i++ {
		if t.board.slots[t.neighbour(i)].passed.Load() < k {
			return false
		}
	}
	return true
}
