package board

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/coll/cad"
	"github.com/gopvas/gopvas/shm"
)

// The ring, for short calls of a few members. Each member puts what it gives into a block of the board. When all have
// done so, each takes what it needs from the blocks. That is one cache line from each member to each, all at the same
// time. A call that blocks waits for that (Exchange). One that does not looks for it when its rank makes progress
// (Begin, Give, All, Take). Nobody has to do anything for another member after the beginning of a call.
//
// # Places
//
// Both kinds of calls have one order. A member has ringBlocks blocks and uses them in turn, by the place of the call
// in that order. It gives its block of place p only when its own calls before p-ahead+1 are over. So all members have
// given theirs of place p-ahead, and hence are through with all calls before p-2*ahead+1. The block of place p was
// used for p-ringBlocks, which is 2*ahead before p: all members have taken from it. So no member has to tell when it
// has taken something. Calls end in their order. A call that blocks begins when all before it are over: the other
// members have begun these, too, and give their blocks while they wait.
//
// The member writes a block and then stores its place in ready. A reader loads ready first. A member that has given
// does not read its own block again, but its own buffer: the others read the lines of the block at that time.
//
// # Waking
//
// Each member makes its block known before it looks for those of the others. So there is one that gives and then
// finds all others. It wakes those that sleep.
//
// # Who may use it
//
// All but over, and what members share, belongs to the member's calls, which come one after the other. Calls that do
// not block run under the lock of the engine for messages besides.

const (
	// RingData is how many bytes a member can give.
	RingData = 4096 - 16

	// MostMembers is how many members a ring has at most.
	MostMembers = 16

	ringBlocks = 8
	ahead      = ringBlocks / 2
)

// block is what a member gives in one call. Only the member writes it.
type block struct {
	ready atomic.Uint64 // place of the call plus one, when all else is there
	call  uint64        // its signature
	data  [RingData]byte
}

// blocks are those of one member.
type blocks [ringBlocks]block

// Ring is the ring of a board.
type Ring struct {
	board   *Board
	members []blocks      // nil: the board has no ring
	begun   uint64        // calls that were begun
	over    atomic.Uint64 // calls that are over
	from    [][]byte      // of Exchange
}

// Ringed tells whether the board has a ring.
func (b *Board) Ringed() bool { return b.Size <= MostMembers }

// Ring returns the ring, nil if there is none or no call was made at the board yet. All members get the same answer.
func (b *Board) Ring() *Ring {
	if b.head == nil || b.ring.members == nil {
		return nil
	}
	return &b.ring
}

func (r *Ring) clear() {
	for m := range r.members {
		for i := range r.members[m] {
			r.members[m][i].ready.Store(0)
		}
	}
}

// Begin takes the next place, for a call.
func (r *Ring) Begin() (place uint64) {
	r.begun++
	return r.begun - 1
}

// MayGive tells whether the block of a place may be written.
func (r *Ring) MayGive(place uint64) bool { return place < r.over.Load()+ahead }

// block returns a member's block for a call.
func (r *Ring) block(member int, place uint64) *block { return &r.members[member][place%ringBlocks] }

// Page is where this member writes what it gives.
func (r *Ring) Page(place uint64) []byte { return r.block(r.board.Rank, place).data[:] }

// Give makes this member's block known, and wakes the others if it was the last one.
func (r *Ring) Give(place, call uint64) {
	p := r.block(r.board.Rank, place)
	p.call = call
	shm.OrderRelease()
	p.ready.Store(place + 1)
	if r.All(place) {
		r.board.wake()
	}
}

// Has tells whether a member has given its block.
func (r *Ring) Has(member int, place uint64) bool {
	return r.block(member, place).ready.Load() == place+1
}

// All tells whether all members have given theirs. This one has.
func (r *Ring) All(place uint64) bool {
	for i := 1; i < r.board.Size; i++ {
		if !r.Has(r.board.neighbour(i), place) {
			return false
		}
	}
	return true
}

// Ready tells whether a call may be taken: all have given, and the calls before it are over.
func (r *Ring) Ready(place uint64) bool { return place == r.over.Load() && r.All(place) }

// Take returns what all members have given for a call that is ready, in a slice that is used again. The failure says
// that not all have made the same call.
func (r *Ring) Take(place, call uint64, from [][]byte) ([][]byte, cad.Failure) {
	shm.OrderAcquire()
	alike := true
	from = from[:0]
	for member := range r.members {
		p := r.block(member, place)
		from = append(from, p.data[:])
		alike = alike && p.call == call
	}
	if !alike {
		return from, r.board.difference(func(i int) callOf { return callOf{word: r.block(i, place).call} })
	}
	return from, cad.Failure{}
}

// Over notes that this member is through with a call that was ready.
func (r *Ring) Over() { r.over.Add(1) }

// Absent returns the failure of a call if a member has gone that has not given its block.
func (r *Ring) Absent(place uint64) cad.Failure {
	member := r.board.missing(func(member int) bool { return r.Has(member, place) })
	if member < 0 {
		return cad.Failure{}
	}
	return cad.About(cad.Lost, r.board.culprit(member))
}

// align has members that have begun different numbers of calls go on with the same, after they have met.
func (r *Ring) align() {
	last := r.begun
	for i := range r.board.slots {
		last = max(last, r.board.slots[i].place)
	}
	if last > r.begun {
		r.begun = last
		r.over.Store(last)
	}
}

// Exchange does a call that blocks: Page of the place of StartExchange has what this member gives. It returns what all
// members have given. ok is false if the call has failed: then not all members make the same one.
func (b *Board) Exchange(place, call uint64) (from [][]byte, ok bool) {
	r := &b.ring
	r.Give(place, call)
	if !b.await(allGiven{}) {
		return nil, false
	}
	if !r.All(place) { // the wait has ended for another cause
		r.Over()
		b.meet()
		return nil, false
	}
	var f cad.Failure
	r.from, f = r.Take(place, call, r.from)
	r.Over()
	if f.Fault != 0 {
		b.note(f)
		return nil, false
	}
	shm.PrefetchWrite(&r.block(b.Rank, place+1).ready) // nobody reads it any more, and the next call writes it first
	return r.from, true
}

// StartExchange enters a call that blocks, and returns its place in the ring. It returns false if the call can not be
// done.
func (b *Board) StartExchange() (r *Ring, place uint64, ok bool) {
	r = &b.ring
	if !b.enter() || r.over.Load() != r.begun && !b.await(ringIdle{}) {
		return nil, 0, false
	}
	return r, r.Begin(), true
}

// ringIdle: all calls of the ring that were begun are over.
type ringIdle struct{}

func (ringIdle) reached(b *Board) bool { return b.ring.over.Load() == b.ring.begun }

func (ringIdle) awaits(b *Board, member int) bool { return !b.ring.Has(member, b.ring.over.Load()) }

func (ringIdle) through(b *Board, member int) bool { return b.ring.Has(member, b.ring.over.Load()) }

// allGiven: all members have given their blocks of the call that blocks, which is the last one.
type allGiven struct{}

func (allGiven) reached(b *Board) bool { return b.ring.All(b.ring.begun-1) || b.arrivals.Load() != 0 }

func (allGiven) awaits(b *Board, member int) bool { return !b.ring.Has(member, b.ring.begun-1) }

func (allGiven) through(b *Board, member int) bool {
	return b.ring.Has(member, b.ring.begun-1) || b.passed(member, b.calls)
}
