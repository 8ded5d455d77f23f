package board

import (
	"math/bits"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/shm"
)

// countBits is how many bits of head.arrivals count.
const countBits = 20

// Enter begins a call at the board. It returns false if the call cannot be done.
func (b *Board) Enter() bool {
	if b.head == nil && !b.make() || b.deserted() && b.gone(b.calls+1) {
		return false // without having arrived, as in all later calls
	}
	b.calls++
	return true
}

// Call does a call: all members arrive, and share the work.
func (b *Board) Call() {
	if b.Enter() {
		b.meet()
	}
}

// Inherit takes part in a call for which this member has failed before. All members then have the failure.
func (b *Board) Inherit(f cad.Failure) {
	if b.Enter() {
		b.inherited.Note(f)
		b.meet()
	}
	b.note(f)
}

// meet arrives in the call that this member has entered, and does its part of the work.
func (b *Board) meet() {
	k, own := b.calls, &b.slots[b.Rank]
	atomic.StoreUint64(&own.record.call, k) // the hang report of others reads it at any time
	b.caller.Announce(&own.record)
	if own.record.Send.unit == partsUnit || own.record.Recv.unit == partsUnit {
		b.typed.Store(1)
	}
	b.ring.met++
	own.places[b.ring.met%2] = b.ring.begun
	line.Writes(own)
	mine := own.record.hash()
	shm.OrderRelease()
	var units int64
	if b.tree != nil {
		var ok bool
		if units, ok = b.gather(mine); !ok {
			return
		}
	} else {
		if n := b.arrivals.Add(mine<<countBits | 1); int(n&(1<<countBits-1)) == b.Size {
			shm.OrderAcquire()
			b.lastArriver(mine, n>>countBits)
		} else {
			if b.watchers.Load() != 0 {
				b.wake() // members that wait for our block or slot are to see that we are here
			}
			if !b.await(allArrived{}, releasing) {
				return
			}
		}
		shm.OrderAcquire()
		units = b.units
	}
	if units > 0 {
		b.work()
		if !b.await(workDone{}, releasing) {
			return
		}
		shm.OrderAcquire()
	}
	b.takeMisfit()
	if b.failure.Fault() != 0 {
		*b.Failure = b.failure.Failure() // the same for all
		b.calls = b.released.Load()      // members in different calls go on together
		b.ring.align()
	}
	own.passed.Store(b.calls)
}

// hash is a word about a call: the same for all members if they make the same call, and most likely not the same
// otherwise. Nor is the sum of the hashes of other calls the same. So it is far from linear: three members with the
// roots 0, 1 and 2 would have the sum of three with root 1.
func (r *Record) hash() uint64 {
	h := r.Word ^ r.call*0x94d049bb133111eb ^ bits.RotateLeft64(r.Size*0x9e3779b97f4a7c15, 31)
	h *= 0xbf58476d1ce4e5b9
	high, low := bits.Mul64(h, bits.RotateLeft64(h, 32)^0xd6e8feb86659fd93)
	return (high ^ low) >> countBits
}

// lastArriver makes sure that all members make the same call, opens the work that is left to all, and releases the
// others.
func (b *Board) lastArriver(mine, sum uint64) {
	k := b.calls
	b.arrivals.Store(0)
	b.units = 0
	b.failure.Reset()
	typed := int(b.typed.Load())
	if typed != 0 {
		b.typed.Store(0)
	}
	if sum != mine*uint64(b.Size)<<countBits>>countBits {
		k = b.findMismatch()
	} else {
		b.inherited.Reset()
		b.open(b.caller.Share(typed))
		b.failure.Note(*b.Failure)
	}
	shm.OrderRelease()
	b.released.Store(k)
	b.wakeSleepers()
}

// findMismatch notes which member's call is unlike that of most. It returns the number of the
// last call that any member is in.
func (b *Board) findMismatch() (last uint64) {
	for i := range b.slots {
		last = max(last, b.slots[i].record.call)
	}
	if f := b.inherited.Failure(); f.Fault != 0 {
		b.failure.Note(f)
		b.inherited.Reset()
		return last
	}
	b.failure.Note(b.difference(func(i int) callOf {
		r := &b.slots[i].record
		return callOf{r.Word, r.Size, r.call}
	}))
	return last
}

// callOf is what members compare.
type callOf struct{ word, size, number uint64 }

// difference returns what is wrong with the calls of the members, which are not all alike. It
// names a member that refuses its call, or else the member whose call is unlike most others.
func (b *Board) difference(of func(member int) callOf) cad.Failure {
	other, fewest := 0, b.Size+1
	for i := range b.Size {
		alike := 0
		for j := range b.Size {
			if of(i) == of(j) {
				alike++
			}
		}
		if cad.IsRefused(of(i).word) {
			alike = 0
		}
		if alike < fewest {
			other, fewest = i, alike
		}
	}
	for i := range b.Size {
		if x, y := of(other), of(i); x != y {
			f := cad.Between(b.world(other), x.word, b.world(i), y.word)
			if f.Fault == 0 { // the same call at another time, or of another length beyond a GiB
				f = cad.AboutTwo(cad.Mismatch, b.world(other), b.world(i))
			}
			return f
		}
	}
	return cad.Failure{}
}

// wakeSleepers wakes the members that sleep in a call at the board. What they wait for has been stored. They count
// themselves before they look for it a last time. So one of the two sees the other. Most often nobody sleeps; then the
// other members' inboxes, a cache line each, need no look. Oversubscribed members do not count: each registers at its
// inbox before it looks a last time, and Notify looks there after the store. See shm.Event.
func (b *Board) wakeSleepers() {
	if b.Oversubscribed || b.asleep.Load() != 0 {
		b.wake()
	}
}

// wake wakes all members that sleep, wherever they wait.
func (b *Board) wake() {
	for i := 1; i < b.Size; i++ {
		b.inboxes[b.neighbour(i)].Notify()
	}
}
