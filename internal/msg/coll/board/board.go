package board

import (
	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/shm"
)

const cacheLine = 64

// head is the part of a board that all members write. It starts as zeros.
//
// All members write arrivals, asleep, watchers, lanes[].next and finished. Only the last arriver of a call, in a tree
// the first member, writes the rest of the head, between its arrival and release. At that time a member that has
// arrived looks at released alone, until the last arriver stores it, and writes asleep if it is not oversubscribed.
type head struct {
	// arrivals counts in its low bits the members that have arrived in the call that is underway. Above them it has the
	// sum of their signatures.
	arrivals line.Uint64
	asleep   line.Int32  // members that sleep in a call, but for oversubscribed ones: see countSleepers
	typed    line.Uint32 // 1 if the buffers of a member have parts: by it, before it arrives
	_        [cacheLine - 16]byte

	released line.Uint64 // number of the last call that everybody has arrived in
	units    int64       // pieces of work that are left to the members
	plan     Plan        // how the work is cut
	watchers line.Int32  // members asleep that one which arrives wakes; beside the lines that each call writes
	_        [2*cacheLine - 20 - planSize]byte

	finished line.Int64 // pieces done
	_        [cacheLine - 8]byte

	failure   cad.Cell // of that call: by the last arriver, or by the members that do units
	inherited cad.Cell // what a member has failed by before the call: by it, before it arrives

	lanes [maxLanes]lane
}

// slot is one member's part of a board. Only the member writes it, but for misfit. It writes the record
// before it arrives in a call, and not again before the next.
type slot struct {
	record Record
	passed line.Uint64 // number of the last call that the member has completed
	misfit misfit
	places [2]uint64   // in the ring, of the member's next call there: before it arrives; see Ring.align
	waits  line.Uint64 // the call in which it has last begun to sleep: see astray
	_      [cacheLine - 32 - misfitSize]byte
}

// maxLanes bounds the lanes of a board, and so how many ranks take work from
// different ends.
const maxLanes = 16

// Record is what a member says about its call. Addresses are of its own memory.
type Record struct {
	Word    uint64 // the signature, or cad.RefusedCall: see Inherit
	Size    uint64 // of the vector or a block; irregular: 0
	Longest uint64 // irregular: length of the longest block that it knows of
	Source  uint64 // what it sends, and the length in bytes
	Sent    uint64
	Result  uint64 // where it receives
	Wanted  uint64
	Send    Layout
	Recv    Layout
	call    uint64 // its number
}

// Layout is where the blocks of a buffer lie. For one with parts unit is partsUnit, and counts is
// the address of the parts.
type Layout struct {
	block          uint64
	unit           uint64
	counts, displs uint64 // addresses; 0: blocks of one length
}

// Plan says how the work of a call is cut. The board only hands it on.
type Plan struct {
	Cols, Group, Pieces, Chunk, Length int
	Typed                              int // 1: some buffer has parts
}

// lane is a run of units that are taken one by one from its beginning.
type lane struct {
	next line.Int64
	_    [cacheLine - 8]byte
}

// misfit says that a block of the member has another length than its other end expects. It is the first such block. The
// member that does the unit writes misfit before it counts the unit as done. The slot's member reads misfit when all
// units are done, and clears it before it arrives in the next call. So no two of these accesses meet.
type misfit struct {
	fault          line.Uint64 // a cad.Fault; the member that swaps it for 0 writes the lengths
	sent, expected uint64
}

// Groups returns the number of groups of a row.
func (p *Plan) Groups() int { return (p.Cols + p.Group - 1) / p.Group }

const (
	planSize   = 48
	recordSize = 128
	headSize   = 10*cacheLine + maxLanes*cacheLine
	slotSize   = 3 * cacheLine
	misfitSize = 24
)

// Caller is the member that makes the calls.
type Caller interface {
	Tell(buf []byte) error // gives all members what the first one has in buf, by messages
	Count()                // the member waits in its call, or has done it
	Signature() uint64     // of the call
	Waiting() job.Waiting  // what the hang report says of the call, but for the members that are missing
	Announce(r *Record)    // writes what others are to know of the call
	Share(typed int) int   // the last arriver plans the work, and does it if it is little; the units that are left
	Unit(i int)            // does one of them
	Keep()                 // the call is given up: others may still use its buffers
}

// Job is what a board asks of the job.
type Job interface {
	cad.Job
	CPUs() int                  // that the ranks of this node have together
	Domain(rank int) job.Domain // where a rank of this node runs
}

// phase is what a member waits for in its call. The phases are states of the board: they hold nothing themselves.
type phase interface {
	// reached tells whether it has come, or a member has arrived at the board, which means another call. The caller
	// looks once more for what it waits for: a member that has done its part may have arrived in the next call.
	reached(b *Board) bool

	// awaits tells whether this member waits for another one. That may be in the call and wait
	// as well, and says so itself: see job.NeedAll.
	awaits(b *Board, member int) bool

	// through tells whether a member has done its part.
	through(b *Board, member int) bool
}

// Members are the ranks that meet, as one of them sees them.
type Members struct {
	Engine         *pml.Engine
	Job            Job
	Rank, Size     int
	World          []int32             // the job's rank of each member; nil: the same numbers
	Oversubscribed bool                // there are more ranks than CPUs
	Flat           bool                // the members meet at one place, wherever they run
	Direct         bool                // one address space
	Whole          func(rank int) bool // of a step: tells whether a rank is a member of the whole; nil: it is no step
	Pool           *Pool               // of memory for boards; nil: this one gives nothing back
	Failure        *cad.Failure        // the first thing that went wrong in the call
	Broken         *error              // likewise, of the layers below
	Revoked        *job.Revocable      // whether the communicator was; nil: it cannot be
}

// Board is the board of a team. One goroutine at a time makes calls and ring.go says when others may use the ring.
type Board struct {
	Members
	caller Caller

	*head // nil: no call has been made yet
	slots []slot
	ring  Ring
	slotted
	capacity
	tree    *tree  // nil: the members meet in the head
	first   int    // lane that this member takes work from first
	memory  Memory // of member 0 only
	told    uint64 // Memory.Word, once this member has been told it; else 0
	calls   uint64 // entered on the board
	seen    int    // ranks of the job that had gone when deserted last looked
	left    bool   // a member was one of them
	inboxes []*shm.Event
	over    *pml.Condition
	phase   phase  // what this member waits for
	by      wakers // who wakes it
}

// world returns the job's rank of a member.
func (m *Members) world(member int) int {
	if m.World == nil {
		return member
	}
	return int(m.World[member])
}

// neighbour is asked each time that a member looks at the others' blocks: so it does not
// divide. The distance is less than the number of members.
func (b *Board) neighbour(distance int) int {
	if m := b.Rank + distance; m < b.Size {
		return m
	}
	return b.Rank + distance - b.Size
}

// note keeps the first failure.
func (b *Board) note(f cad.Failure) {
	if b.Failure.Fault == 0 {
		*b.Failure = f
	}
}
