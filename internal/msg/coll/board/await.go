package board

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// allArrived: all members have arrived in the call, and the last one has released them.
type allArrived struct{}

func (allArrived) reached(b *Board) bool { return b.released.Load() >= b.calls }

func (allArrived) awaits(b *Board, member int) bool {
	return atomic.LoadUint64(&b.slots[member].record.call) < b.calls
}

func (allArrived) through(*Board, int) bool { return false }

// workDone: all units of the call are done.
type workDone struct{}

func (workDone) reached(b *Board) bool             { return b.finished.Load() >= b.units }
func (workDone) awaits(b *Board, member int) bool  { return !b.passed(member, b.calls) }
func (workDone) through(b *Board, member int) bool { return b.passed(member, b.calls) }

// await returns true when the phase of the call has come. It returns false if a member has
// gone that has not done its part, and notes which one.
//
// Before it sleeps it lets other processes run. A wait of the engine is much more code, which is slow after each switch
// of processes. Messages, and work of others, are left meanwhile, as if the rank computed.
func (b *Board) await(p phase, by wakers) bool {
	return b.look(p) || b.awaitLonger(by)
}

// begin begins a wait.
func (b *Board) begin(p phase) {
	b.phase = p
	b.caller.Count()
}

// awaitLonger is await after the first looks.
func (b *Board) awaitLonger(by wakers) bool {
	for range b.Engine.Waiter().Yields() {
		sys.Yield()
		if b.reached() {
			return true
		}
	}
	return b.sleep(by)
}

// wakers are the members that wake one that sleeps.
type wakers bool

const (
	releasing wakers = false // those that store what it waits for
	arriving  wakers = true  // likewise, and each one that arrives
)

// look begins a wait and looks as often as it may without a yield. Waiter.Look would call a function for each look.
func (b *Board) look(p phase) bool {
	b.begin(p)
	for range b.Engine.Waiter().Spins() + 1 {
		if p.reached(b) {
			return true
		}
		if b.deserted() {
			break
		}
	}
	return false
}

// reached tells whether the phase has come. That of most waits is asked here: after each switch of processes an
// interface is slow.
func (b *Board) reached() bool {
	if _, ok := b.phase.(allArrived); ok {
		return b.released.Load() >= b.calls
	}
	return b.phase.reached(b)
}

// sleep ends a wait.
func (b *Board) sleep(by wakers) bool {
	b.by = by
	b.slots[b.Rank].waits.Store(b.waitsIn())
	b.countSleepers(by, 1)
	if (by == arriving || b.watchers.Load() != 0) && b.astray() {
		b.wake()
	}
	line.Await(b.isOver)
	err := b.over.Wait()
	b.countSleepers(by, -1)
	if err != nil {
		*b.Broken = err
		return false
	}
	return b.phase.reached(b) || !b.leave()
}

// A member may wait for another one that is in another call, and waits there for the first, each at a place of its own:
// one for a slot, and one for blocks of the ring or of the tree. So each says in its slot which call it sleeps in, by
// the number and a hash of the signature. All calls of a number are alike in a correct program. Who finds another one
// wakes it, and arrives at the board, unless it has; so does the other one. Each stores its word before it looks for
// those of others, and registers at its inbox before it looks a last time. So one of the two sees the other. A word of
// an earlier call is told by its number.
const callHashBits = 16

// waitsIn returns the word of the present call.
func (b *Board) waitsIn() uint64 {
	return b.calls<<callHashBits | b.caller.Signature()*0x9e3779b97f4a7c15>>(64-callHashBits)
}

// astray tells whether another member sleeps in another call of the same number as that in which this one sleeps.
func (b *Board) astray() bool {
	own := b.slots[b.Rank].waits.Load()
	for i := range b.slots {
		if w := b.slots[i].waits.Load(); w != own && w>>callHashBits == own>>callHashBits {
			return true
		}
	}
	return false
}

// countSleepers counts this member among those that sleep. Of oversubscribed members one nearly always does: a count
// would be one more line that all of them write, and spare nobody a look. All members of a board agree on
// Oversubscribed.
func (b *Board) countSleepers(by wakers, n int32) {
	if by == arriving {
		b.watchers.Add(n)
	}
	if !b.Oversubscribed {
		b.asleep.Add(n)
	}
}

// isOver tells a sleeping member whether its wait is over.
func (b *Board) isOver() bool {
	return b.phase.reached(b) || b.Engine.Events() != 0 && (b.revoked() || b.missing(b.through) >= 0) ||
		b.by == arriving && b.astray()
}

// waiting is what the hang report says of a member that waits at the board.
func (b *Board) waiting() job.Waiting {
	w := b.caller.Waiting()
	for member := range b.Size {
		if member != b.Rank && b.phase.awaits(b, member) {
			w.Collective.Miss(b.world(member))
		}
	}
	return w
}
