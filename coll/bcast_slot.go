package coll

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/coll/cad"
	"github.com/gopvas/gopvas/shm"
)

// The slot algorithm, for broadcasts with more ranks than CPUs. The root writes its bytes into
// a slot and goes on. Each other member takes them when it gets there. Nobody waits for members
// that are behind: a rank that has a CPU does as many calls as it can, until it needs a slot
// that is not written yet.
//
// A board has bcastSlots slots, which calls use in turn, by their number. A vector that is
// longer than a slot goes in pieces, each of which is a call by itself.
//
// Only the root of a call writes its slot, and only when all members have completed the call that
// the slot was written for before (slot.passed). The root itself has completed that call: if it
// was not the root of it, it has seen the slot written. So it knows that number (bcastSlot.call),
// and no later root can have written the slot since. It gets ahead of the others by at most
// bcastSlots calls.
//
// A member that waits for a slot, written or free, looks for arrivals at the board too, as
// in flat.go. If there are any, and the slot is not there, calls do not match. Members then
// arrive in different calls, so the signature of an arrival has the number of the call. If two
// members take themselves for the root of a call, each other member gets what one of them, or
// both, have written.

const (
	bcastSlots = 16
	shortSlot  = 17*64 - 24 // longest vector that lies in the slot itself
	longSlot   = 32 << 10   // longest piece, which lies behind all slots: less would touch more pages
)

// bcastSlot holds the bytes of a broadcast. Only its root writes it.
type bcastSlot struct {
	call atomic.Uint64 // number of the call, when all else is there
	sig  uint64
	root uint64
	data [shortSlot]byte
}

// bcastBySlot does a broadcast by slots.
func bcastBySlot(t *Team) {
	for at := 0; at < t.size; at += longSlot {
		if !t.bcastPieceBySlot(at, min(longSlot, t.size-at)) {
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
	p.sig, p.root = t.call, uint64(t.Rank)
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
		t.note(cad.Between(t.world(int(p.root)), p.sig, t.world(t.Rank), t.call))
	}
	shm.OrderRelease()
	t.board.slots[t.Rank].passed.Store(k)
	t.inboxes[p.root].Notify()
	return t.failure.Fault == 0
}

// fitsSlot tells whether the board has slots.
func fitsSlot(t *Team, _ int) bool { return t.slotted() }

// suitsSlot: in one address space the members share the work of a longer vector, which is copied
// once.
func suitsSlot(t *Team, n int) bool { return n <= shortSlot || !t.Engine.Memory(t.World).Direct() }

// slotted tells whether the team's board has slots for broadcasts.
func (t *Team) slotted() bool { return oversubscribed(t, 0) }

// slotOf returns the slot of call k, and slotData where its n bytes lie.
func (t *Team) slotOf(k uint64) *bcastSlot { return &t.board.bcasts[k%bcastSlots] }

func (t *Team) slotData(p *bcastSlot, k uint64, n int) []byte {
	if n <= shortSlot {
		return p.data[:n]
	}
	return t.board.long[k%bcastSlots][:n]
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
