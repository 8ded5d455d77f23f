package coll

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/coll/cad"
	"github.com/gopvas/gopvas/shm"
)

// The staged algorithm, for a long Allreduce of a few members that have a CPU each and no
// address space in common. Each member has a share of the vectors, which it combines for all.
// The vectors pass through the board, in rounds of one piece of each share:
//
//  1. Each member copies the pieces of its own vector to its stage, but for the one of its own
//     share.
//  2. When all have done so, it combines the pieces of its share in the order of the members:
//     three of them, for example, from two stages and its own vector. The result goes to its own
//     stage.
//  3. When all have done so, it copies the results from all stages.
//
// So a byte is copied to the board by one member and used by another, and both copies stay in
// the caches. A message between processes would need a system call, and memory for what comes.
//
// # States
//
// stage.done counts the steps of a member: call number and step in one word, which grows. Only
// the member writes its stage. Step 2c+1 means that round c is staged, step 2c+2 that it is
// combined, and lastStep that the member has left the call.
//
// A stage has two buffers, for even and odd rounds. A member writes one in round c when all have
// combined round c-1, and so have copied the results of round c-2. It writes one in round 0
// when all have left the last call of this kind.
//
// The members exchange signatures by pages first (flat.go), which are empty. So all that is said
// there of calls that differ holds here, and whoever is in a round knows that all others are, or
// have gone.

const (
	stageData = 64 << 10 // bytes of a buffer: both, and the vectors, fit into the L2 cache
	stepBits  = 24
	lastStep  = 1<<stepBits - 1
)

// stage is what a member shows to the others, besides the data. Only the member writes it.
type stage struct {
	done    atomic.Uint64
	failure cad.Cell // of its operator: written before the last round is combined
	_       [cacheLine - 8]byte
}

// stageBuffers is the data of a member.
type stageBuffers [2][stageData]byte

// fitsStaged tells whether the board has stages, and operators find room for an element.
func fitsStaged(t *Team, _ int) bool { return t.hasStages() && t.args.Op.Size <= stageData/t.Size }

// hasStages tells whether the team's board has stages.
func (t *Team) hasStages() bool { return t.paged() && !t.Engine.Memory(t.World).Direct() }

// staged does an Allreduce by stages.
func staged(t *Team) {
	k, p := t.sign()
	if p == nil || !t.exchangePages(k) || !t.awaitStep(k, t.lastStaged, lastStep) {
		return
	}
	t.lastStaged = k
	t.board.stages[t.Rank].failure.Reset()
	for c := range t.rounds() {
		if !t.stagedRound(k, c) {
			return
		}
	}
	for i := range t.board.stages {
		t.note(t.board.stages[i].failure.Failure())
	}
	t.advance(k, lastStep)
}

// stagedRound does round c of call k. It returns false if a member has gone.
func (t *Team) stagedRound(k uint64, c int) bool {
	t.stage(c)
	t.advance(k, 2*c+1)
	if !t.awaitStep(k, k, 2*c+1) {
		return false
	}
	t.combine(c)
	t.board.stages[t.Rank].failure.Note(t.failure)
	t.advance(k, 2*c+2)
	if !t.awaitStep(k, k, 2*c+2) {
		return false
	}
	t.collect(c)
	return true
}

// advance says how far this member is, and awaitStep waits for all others to be as far in a call,
// which is this one or an earlier one.
func (t *Team) advance(k uint64, step int) {
	shm.OrderRelease()
	t.board.stages[t.Rank].done.Store(k<<stepBits | uint64(step))
	t.wake()
}

func (t *Team) awaitStep(k, call uint64, step int) bool {
	t.target = call<<stepBits | uint64(step)
	if call == 0 || t.await(k, stepped) {
		shm.OrderAcquire()
		return true
	}
	return false
}

// allStepped tells whether all other members are as far as this one waits for.
func (t *Team) allStepped() bool {
	for i := 1; i < t.Size; i++ {
		if t.board.stages[t.neighbour(i)].done.Load() < t.target {
			return false
		}
	}
	return true
}

// pieceLength is the length of all pieces of a share but the last: whole elements.
func (t *Team) pieceLength() int { return stageData / t.Size / t.args.Op.Size * t.args.Op.Size }

// rounds returns the number of pieces of the longest share, which is the first.
func (t *Team) rounds() int {
	size := t.args.Op.Size
	return (share(t.size/size, 1, t.Size)*size + t.pieceLength() - 1) / t.pieceLength()
}

// piece returns where piece c of a member's share starts in the vectors, and its length.
func (t *Team) piece(member, c int) (start, length int) {
	size := t.args.Op.Size
	start, end := share(t.size/size, member, t.Size)*size, share(t.size/size, member+1, t.Size)*size
	start = min(start+c*t.pieceLength(), end)
	return start, min(t.pieceLength(), end-start)
}

// onStage is the place on a member's stage for round c of a piece of a share.
func (t *Team) onStage(member, c, share, length int) []byte {
	return t.board.staged[member][c%2][share*t.pieceLength():][:length]
}

// stage copies this member's pieces of the shares of the others to its stage.
func (t *Team) stage(c int) {
	for i := 1; i < t.Size; i++ {
		to := t.neighbour(i)
		start, n := t.piece(to, c)
		copy(t.onStage(t.Rank, c, to, n), t.args.Send.Data[start:])
	}
}

// combine combines piece c of this member's share.
func (t *Team) combine(c int) {
	start, n := t.piece(t.Rank, c)
	if n == 0 || t.failure.Fault != 0 {
		return
	}
	sum := t.onStage(t.Rank, c, t.Rank, n)
	for member := range t.Size {
		from := t.args.Send.Data[start:][:n]
		if member != t.Rank {
			from = t.onStage(member, c, t.Rank, n)
		}
		if member == 0 {
			copy(sum, from)
		} else {
			t.apply(sum, from)
		}
	}
}

// collect copies the results of round c.
func (t *Team) collect(c int) {
	for i := range t.Size {
		from := t.neighbour(i)
		start, n := t.piece(from, c)
		copy(t.args.Recv.Data[start:], t.onStage(from, c, from, n))
	}
}
