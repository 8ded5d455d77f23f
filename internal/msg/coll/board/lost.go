package board

import (
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/pml"
)

// deserted tells whether a member has gone, or the communicator was revoked. It looks at the members once for each rank
// of the job that goes. Only the goroutine that makes the calls asks.
func (b *Board) deserted() bool { return b.Engine.Events() != b.seen && b.lookForLost() || b.left }

func (b *Board) lookForLost() bool {
	b.seen = b.Engine.Events()
	if b.Revoked != nil {
		b.Engine.Progress() // which reads revocations
	}
	b.left = b.revoked() || b.missing(func(int) bool { return false }) >= 0
	return b.left
}

func (b *Board) revoked() bool { return b.Revoked.Heard() }

// gone notes a member that has gone and has not completed the call before k: then k cannot
// end. Other members may not have noticed, but will.
func (b *Board) gone(k uint64) bool {
	return b.lost(k, func(member int) bool { return b.passed(member, k) })
}

// leave ends the wait of a member that has arrived in the call, if another one has gone and has not done its part.
// Others may go on with the call, and with this member's buffers.
func (b *Board) leave() bool {
	if !b.lost(b.calls, b.through) {
		return false
	}
	b.caller.Keep()
	return true
}

// through tells whether a member has done its part of what this one waits for. A member that has gone
// and has not was in another call.
func (b *Board) through(member int) bool { return b.phase.through(b, member) }

// passed tells whether a member has completed call k.
func (b *Board) passed(member int, k uint64) bool { return b.slots[member].passed.Load() >= k }

// lost notes that the communicator was revoked, or else a member that has gone and is not through with call k.
func (b *Board) lost(k uint64, through func(member int) bool) bool {
	if b.Revoked.Stands() {
		*b.Broken = pml.ErrRevoked
		return true
	}
	member := b.missing(through)
	if member < 0 {
		return false
	}
	what := cad.Lost
	if b.passed(member, k) {
		what = cad.Mismatch
	}
	b.note(cad.About(what, b.culprit(member)))
	return true
}

// culprit returns the rank to be named if a member has gone. In a step it may be another rank of the larger team.
func (b *Board) culprit(member int) int {
	if b.Whole == nil {
		return b.world(member)
	}
	return cad.Culprit(b.Job, b.world(member), b.Whole)
}

// missing returns a member that has gone and is not through, or -1. If there are
// several it returns the rank that went first: others often go only because of it.
func (b *Board) missing(through func(member int) bool) int {
	first, _ := b.Job.Lost()
	member := -1
	for i := range b.Size {
		rank := b.world(i)
		if b.Job.Gone(rank) && !through(i) {
			if rank == first {
				return i
			}
			if member < 0 {
				member = i
			}
		}
	}
	return member
}
