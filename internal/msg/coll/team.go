package coll

import (
	"slices"

	"github.com/gopvas/gopvas/internal/msg/coll/board"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/numa"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Job is what a team asks of the job. On one node *job.Root answers it.
type Job interface {
	cad.Job
	CPUs() int               // that the ranks of this node have together
	AllOversubscribed() bool // the job has begun with more ranks than CPUs
	Oversubscribed() bool    // there are more ranks than CPUs on this node
	SoloLimit() int          // bytes that the last member to arrive moves alone, with a board
	Node(rank int) int       // where a rank is

	numa.Job
}

// Team is a communicator as collectives see it: an ordered set of ranks of the job
// with a context of its own. The exported fields are set before the first use and
// stay as they are.
//
// All members call the same collectives in the same order. One goroutine of a rank at a
// time calls methods of a team: the caller sees to that, by a lock that it needs anyway.
// Different teams do not meet.
type Team struct {
	Engine *pml.Engine
	Job    Job

	// Context is that of the messages of collectives, and of no others. Inner is another one,
	// for those within nodes and between them.
	Context, Inner uint32

	// Serial tells the team from earlier ones with the context, at all members alike: see asking.
	Serial uint32

	Apart bool // members are of several jobs, whose settings for collectives are the same

	Rank, Size int     // the caller's place in the team, and the number of members
	World      []int32 // the job's rank of each member; nil: the same numbers

	Revoked *job.Revocable // whether the communicator was; nil: it cannot be

	Choice Choice // algorithms to be used instead of the usual ones
	Check  bool   // make sure, at a cost, that all members make the same calls

	// Guards is the channel on which nonblocking operations are issued. Rounds that compare calls go by it, so that
	// calls that block and calls that do not are in one order. nil: they are not compared with one another.
	Guards *cad.Channel

	// Describe names a call for errors; nil: DescribeCall does.
	Describe func(call uint64) string

	// Name returns the name of the communicator for messages to people; nil: there is none.
	Name func() string

	// Called is what the hang report calls all calls of the team; "": by their operations.
	Called string

	// Outer is Within of another team, in whose blocking call all calls of this one are steps meanwhile; zero: they are
	// calls by themselves.
	Outer job.Agreed

	// Boards are shared by the teams of a rank; nil: this one gives nothing back.
	Boards *Boards

	state
	asking

	nonblocking graphCache // of nonblocking calls
	shorts      shortCalls // likewise
}

// Boards is memory for boards that teams have given back, BoardMemory that of one.
type (
	Boards      = board.Pool
	BoardMemory = board.Memory
)

// world returns the job's rank of a member.
func (t *Team) world(member int) int {
	if t.World == nil {
		return member
	}
	return int(t.World[member])
}

// member returns the place of a rank of the job in the team, or -1.
func (t *Team) member(rank int) int {
	if t.World != nil {
		return slices.Index(t.World, int32(rank))
	}
	if rank >= t.Size { // of a late world
		return -1
	}
	return rank
}

// Free gives back the memory that the team has allocated on this rank; again: later teams may use it. The caller knows
// that no member is in a call that blocks, and that none will make another one. With again no other call is underway
// either.
func (t *Team) Free(again bool) {
	if t.board != nil {
		t.board.Free(again)
	}
	if t.levels != nil {
		t.Engine.Explain(t.Inner, nil)
		t.levels.node.Free(again)
		t.levels = nil
	}
	t.Engine.Explain(t.Context, nil)
	t.known = false
}

// neighbour does not divide. The distance is less than the number of members, in either direction.
func (t *Team) neighbour(distance int) (member int) {
	switch member = t.Rank + distance; {
	case member >= t.Size:
		member -= t.Size
	case member < 0:
		member += t.Size
	}
	return member
}
