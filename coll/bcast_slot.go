package coll

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/coll/cad"
	"github.com/gopvas/gopvas/shm"
)

// The slot algorithm, for short broadcasts with more ranks than CPUs. The root writes its
// bytes into a slot of its own and goes on. Each other member takes them when it gets there.
// Nobody waits for members that are behind: a rank that has a CPU does as many calls as it
// can, until it needs a slot that is not written yet.
//
// A member has bcastSlots slots and uses them in turn, by the number of the call. It writes a
// slot when all members have completed the call that the slot was written for before
// (slot.passed). So it gets ahead of the others by at most bcastSlots calls.
//
// A member that waits for a slot, written or free, looks for arrivals at the board too, as
// in flat.go. If there are any, and the slot is not there, calls do not match. Members then
// arrive in different calls, so the signature of an arrival has the number of the call.

const (
	bcastSlots = 16         // of a member
	slotData   = 17*64 - 16 // longest vector
)

// bcastSlot holds the bytes of a broadcast. Only its root writes it.
type bcastSlot struct {
	call atomic.Uint64 // number of the call, when all else is there
	sig  uint64
	data [slotData]byte
}

// bcastBySlot does a broadcast by a slot.
func bcastBySlot(t *Team) {
	k, ok := t.enter()
	if !ok {
		return
	}
	a := &t.args
	p := t.slotOf(k)
	if t.Rank == a.Root {
		if !t.await(k, emptied) {
			return
		}
		if !t.allPassed(p.call.Load()) {
			t.meet(k)
			return
		}
		p.sig = t.call
		copy(p.data[:], a.Send.Data)
		shm.OrderRelease()
		p.call.Store(k)
		t.board.slots[t.Rank].passed.Store(k)
		t.wake()
		return
	}
	if !t.await(k, written) {
		return
	}
	shm.OrderAcquire()
	if p.call.Load() != k {
		t.meet(k)
		return
	}
	if p.sig == t.call {
		copy(a.Recv.Data, p.data[:t.size])
	} else {
		t.note(cad.Between(t.world(a.Root), p.sig, t.world(t.Rank), t.call))
	}
	shm.OrderRelease()
	t.board.slots[t.Rank].passed.Store(k)
	t.inboxes[a.Root].Notify()
}

// fitsSlot tells whether the board has slots and a call of this size fits into one.
func fitsSlot(t *Team, n int) bool { return t.slotted() && n <= slotData }

// slotted tells whether the team's board has slots for broadcasts.
func (t *Team) slotted() bool { return oversubscribed(t, 0) }

// slotOf returns the slot of call k.
func (t *Team) slotOf(k uint64) *bcastSlot { return &t.board.slotsOf[t.args.Root][k%bcastSlots] }

// allPassed tells whether all members have completed call k.
func (t *Team) allPassed(k uint64) bool {
	for i := 1; i < t.Size; i++ {
		if t.board.slots[t.neighbour(i)].passed.Load() < k {
			return false
		}
	}
	return true
}
