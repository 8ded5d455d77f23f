package board

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/shm"
)

// The ring, for short calls of a few members. Each member puts what it gives into a block of the board. When all have
// done so, each takes what it needs from the blocks. That is one cache line from each member to each, all at the same
// time. A call that blocks waits for that (Exchange). One that does not looks for it when its rank makes progress
// (Reserve, Begin, Give, All, Take). Nobody has to do anything for another member after the beginning of a call.
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
// A member's calls begin one after the other. Those that do not block run under the lock of the engine for messages.
// A call that blocks has the ring to itself: none is underway when it begins (pending), and none begins before its end
// (Short.Begin of package coll).

const (
	// RingData is how many bytes a member can give.
	RingData = 4096 - 16

	// MostMembers is how many members a ring has at most.
	MostMembers = 16

	// ringBlocks is no more than needed: a short call goes round the same few cache lines.
	ringBlocks = 2
	ahead      = ringBlocks / 2
)

// block is what a member gives in one call. Only the member writes it.
type block struct {
	ready line.Uint64 // place of the call plus one, when all else is there
	call  uint64      // its signature
	data  [RingData]byte
}

// blocks are those of one member.
type blocks [ringBlocks]block

// Ring is the ring of a board.
type Ring struct {
	board   *Board
	members []blocks     // nil: the board has no ring
	begun   uint64       // calls that were begun
	over    uint64       // calls that are over
	met     uint64       // how often all members have met, wherever they were: the same for all
	pending atomic.Int32 // calls underway that do not block
}

// Ringed tells whether the board has a ring.
func (b *Board) Ringed() bool { return b.Size <= MostMembers }

// Made tells whether the board has its memory: its first call makes it.
func (b *Board) Made() bool { return b.head != nil }

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

// Reserve keeps calls that block away, for one that does not block. End is due when that is complete.
func (r *Ring) Reserve() { r.pending.Add(1) }

// Begin takes the next place, for a call that does not block and has reserved the ring.
func (r *Ring) Begin() (place uint64) { return r.take() }

// End ends a call that does not block.
func (r *Ring) End() { r.pending.Add(-1) }

func (r *Ring) take() (place uint64) {
	r.begun++
	return r.begun - 1
}

// MayGive tells whether the block of a place may be written.
func (r *Ring) MayGive(place uint64) bool { return place < r.over+ahead }

// block returns a member's block for a call.
func (r *Ring) block(member int, place uint64) *block { return &r.members[member][place%ringBlocks] }

// Own is where this member writes what it gives.
func (r *Ring) Own(place uint64) []byte { return r.block(r.board.Rank, place).data[:] }

// Give makes this member's block known, and wakes the others if it was the last one.
func (r *Ring) Give(place, call uint64) {
	if r.publish(place, call); r.All(place) {
		r.board.wake()
	}
}

// publish makes this member's block known.
func (r *Ring) publish(place, call uint64) {
	p := r.block(r.board.Rank, place)
	p.call = call
	shm.OrderRelease()
	p.ready.Store(place + 1)
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
func (r *Ring) Ready(place uint64) bool { return place == r.over && r.All(place) }

// Take ends a call that is ready, and tells whether all have made the same call: else Differ says what is wrong.
func (r *Ring) Take(place, call uint64) (alike bool) {
	shm.OrderAcquire()
	r.over = place + 1
	for i := 1; i < r.board.Size; i++ {
		if r.block(r.board.neighbour(i), place).call != call {
			return false
		}
	}
	return true
}

// Differ returns what is wrong with the calls of the members.
func (r *Ring) Differ(place uint64) cad.Failure {
	return r.board.difference(func(i int) callOf { return callOf{word: r.block(i, place).call} })
}

// Blocks returns what all members have given for a call that was taken, in a slice that is used again.
func (r *Ring) Blocks(place uint64, from [][]byte) [][]byte {
	from = from[:0]
	for member := range r.board.Size {
		from = append(from, r.block(member, place).data[:])
	}
	return from
}

// Absent returns the failure of a call if a member has gone that has not given its block.
func (r *Ring) Absent(place uint64) cad.Failure {
	member := r.board.missing(func(member int) bool { return r.Has(member, place) })
	if member < 0 {
		return cad.Failure{}
	}
	what := cad.Lost
	if r.board.Revoked.Stands() {
		what = cad.Revoked
	}
	return cad.About(what, r.board.culprit(member))
}

// align lets members that have begun different numbers of calls go on with the same, after they have met. A member that
// is through may go on to the next meeting, and write its place there, while another one still reads. So it has two
// places, used in turn. It writes this one again after all have come to the next meeting: they are through with it.
func (r *Ring) align() {
	if r.members == nil {
		return
	}
	last := r.begun
	for i := range r.board.slots {
		last = max(last, r.board.slots[i].places[r.met%2])
	}
	if last > r.begun {
		r.begun, r.over = last, last
	}
}

// Exchange does a call that blocks, whose block is written in the place of StartExchange. It returns false if the call
// has failed: then not all members make the same one.
func (b *Board) Exchange(place, call uint64) bool {
	r := &b.ring
	r.publish(place, call)
	b.wake()
	if !r.look(place) {
		if !b.awaitLonger(arriving) {
			return false
		}
		if !r.All(place) { // the wait has ended for another cause
			r.over = place + 1
			b.meet()
			return false
		}
	}
	if !r.Take(place, call) {
		b.note(r.Differ(place))
		return false
	}
	line.Prefetch(&r.block(b.Rank, place+1).ready) // nobody reads it any more, and the next call writes it first
	return true
}

// look begins the wait of a call that blocks and looks for the blocks of the others in turn. It tells whether all are
// there. Board.look would ask all of them by an interface at each look.
func (r *Ring) look(place uint64) bool {
	b := r.board
	b.begin(allGiven{})
	left := b.Engine.Waiter().Spins()
	for i := 1; i < b.Size; i++ {
		ready := &r.block(b.neighbour(i), place).ready
		for ready.Load() != place+1 {
			if left == 0 || b.arrivals.Load() != 0 || b.deserted() {
				return false
			}
			left--
		}
	}
	return true
}

// StartExchange enters a call that blocks, and returns its place in the ring. It returns false if the call cannot be
// done.
func (b *Board) StartExchange() (r *Ring, place uint64, ok bool) {
	r = &b.ring
	if !b.Enter() || r.pending.Load() != 0 && !b.await(ringIdle{}, releasing) {
		return nil, 0, false
	}
	return r, r.take(), true
}

// ringIdle: no call that does not block is underway.
type ringIdle struct{}

func (ringIdle) reached(b *Board) bool { return b.ring.pending.Load() == 0 }

func (ringIdle) awaits(b *Board, member int) bool { return !b.ring.Has(member, b.ring.over) }

func (ringIdle) through(b *Board, member int) bool { return b.ring.Has(member, b.ring.over) }

// allGiven: all members have given their blocks of the call that blocks, which is the last one.
type allGiven struct{}

func (allGiven) reached(b *Board) bool { return b.ring.All(b.ring.begun-1) || b.arrivals.Load() != 0 }

func (allGiven) awaits(b *Board, member int) bool { return !b.ring.Has(member, b.ring.begun-1) }

func (allGiven) through(b *Board, member int) bool {
	return b.ring.Has(member, b.ring.begun-1) || b.passed(member, b.calls)
}
