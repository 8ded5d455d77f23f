package coll

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/coll/cad"
	"github.com/gopvas/gopvas/internal/pml"
	"github.com/gopvas/gopvas/shm"
)

const cacheLine = 64

// maxLanes bounds the lanes of a board, and so how many ranks take work from
// different ends.
const maxLanes = 16

// head is the part of a board that all members write. It lies in memory that the
// team's first member has allocated, and starts as zeros.
//
// All members write arrivals, lanes[].next and finished. Only the last arriver of a call
// writes the rest of the head, between its arrival and release. At that time nobody else
// touches the head: a member that has arrived looks at released alone until the last arriver
// stores it. See Direct in doc.go.
type head struct {
	// arrivals has, for the call that is underway, the number of members that have
	// arrived, in the low bits, and above them the sum of their signatures.
	arrivals atomic.Uint64
	sleepers atomic.Int32  // members that sleep until a slot changes, or a member arrives
	typed    atomic.Uint32 // 1 if the buffers of a member have parts: by it, before it arrives
	_        [cacheLine - 16]byte

	released atomic.Uint64 // number of the last call that everybody has arrived in
	units    int64         // pieces of work that are left to the members
	plan     plan          // how the work is cut
	_        [2*cacheLine - 16 - planSize]byte

	finished atomic.Int64 // pieces done
	_        [cacheLine - 8]byte

	failure   cad.Cell // of that call: by the last arriver, or by the members that do units
	inherited cad.Cell // what a member has failed by before the call: by it, before it arrives

	lanes [maxLanes]lane
}

// lane is a run of units that are taken one by one from its beginning.
type lane struct {
	next atomic.Int64
	_    [cacheLine - 8]byte
}

// slot is one member's part of a board. Only the member writes it, but for misfit. It writes the record
// before it arrives in a call, and not again before the next.
type slot struct {
	record callRecord
	passed atomic.Uint64 // number of the last call that the member has completed
	misfit misfit
	_      [cacheLine - 8 - misfitSize]byte
}

// misfit says that a block of the member has another length than its other end expects. It is the first such block. The
// member that does the unit writes misfit before it counts the unit as done. The slot's member reads misfit when all
// units are done, and clears it before it arrives in the next call. So no two of these accesses meet.
type misfit struct {
	fault          atomic.Uint64 // a cad.Fault; the member that swaps it for 0 writes the lengths
	sent, expected uint64
}

// callRecord is what a member says about its call. Addresses are of its own memory.
type callRecord struct {
	word    uint64 // Args.signature, or cad.RefusedCall: see inherit
	size    uint64 // Args.size; irregular: 0
	longest uint64 // irregular: length of the longest block that it knows of
	source  uint64 // what it sends, and the length in bytes
	sent    uint64
	result  uint64 // where it receives
	wanted  uint64
	send    layout
	recv    layout
	call    uint64 // its number
}

// leak is memory of a call that was given up: other members may still use it.
type leak struct {
	args Args
	refs [2][]btl.Ref
}

// layout is a Buffer without its data. For one with parts unit is partsUnit, and counts is
// the address of the parts.
type layout struct {
	block          uint64
	unit           uint64
	counts, displs uint64 // addresses; 0: blocks of one length
}

const (
	planSize   = 48
	recordSize = 128
	headSize   = 10*cacheLine + maxLanes*cacheLine
	slotSize   = 3 * cacheLine
	misfitSize = 24
)

// atBoard is the state of a member at its board.
type atBoard struct {
	board       *board       // made by the first call
	boardMemory boardMemory  // of the board; member 0 only
	calls       uint64       // entered on the board
	inboxes     []*shm.Event // of the members
	over        *pml.Condition
	phase       phase
	leaked      []leak
	refs        [2][]btl.Ref // to the parts of the call, for others to read
}

// board is what the members of a team share in one address space.
type board struct {
	*head
	slots  []slot
	pages  [][2]page   // nil: the team does without
	bcasts []bcastSlot // likewise; those of a member lie together
	long   []byte      // pieces that are too long for their slots
}
