package coll

import (
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/pml"
)

// Team is a communicator as collectives see it: an ordered set of ranks of the job
// with a context of its own. The exported fields are set before the first use and
// stay as they are.
//
// All members call the same collectives in the same order. One goroutine of a rank at a
// time calls methods of a team: the caller sees to that, by a lock that it needs anyway.
// Different teams do not meet.
type Team struct {
	Engine *pml.Engine
	Module btl.Module
	Root   *job.Root

	// Context is that of the messages of collectives. Point-to-point messages of
	// the same communicator use another, see PointToPoint.
	Context uint32

	Rank, Size int     // the caller's place in the team, and the number of members
	World      []int32 // the job's rank of each member; nil: the same numbers

	Choice Choice // algorithms to be used instead of the usual ones
	Check  bool   // make sure, at a cost, that all members make the same calls

	// Name returns the name of the communicator for messages to people; nil: there is none.
	Name func() string

	// Boards are shared by the teams of a rank; nil: this one gives nothing back.
	Boards *Boards

	ground ground // of the board; member 0 only
	state

	kept keptGraphs
}

// PointToPoint returns the context of the point-to-point messages of a communicator
// whose collectives use the given one. Contexts of collectives are odd.
func PointToPoint(context uint32) uint32 { return context - 1 }

// WorldContext is the context of collectives of the world.
const WorldContext = 1

// world returns the job's rank of a member.
func (t *Team) world(member int) int {
	if t.World == nil {
		return member
	}
	return int(t.World[member])
}

// member returns the place of a rank of the job in the team, or -1.
func (t *Team) member(rank int) int {
	if t.World == nil {
		return rank
	}
	return slices.Index(t.World, int32(rank))
}
