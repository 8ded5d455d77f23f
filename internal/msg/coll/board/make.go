package board

import (
	"cmp"
	"encoding/binary"
	"errors"

	"github.com/gopvas/gopvas/shm"
)

// errNoBoard is for the members whose first one could not allocate.
var errNoBoard = errors.New("the first rank of the communicator has no room left for shared memory")

// How the memory of a board is made, told to the members, and given back.

// New returns a board. Its memory is mapped at the first call.
func New(m Members, c Caller) *Board {
	return &Board{Members: m, caller: c, tree: m.growTree(), capacity: m.capacity()}
}

// Reserve allocates a board for another team of the same members. Member 0 calls it, before that team makes a call. If
// there is no room it returns the zero Memory: then that team allocates its board at its first call, or finds out why.
func (b *Board) Reserve() Memory {
	m, _ := b.allocate()
	return m
}

func (b *Board) allocate() (Memory, error) {
	return b.Pool.take(b.Engine.Routes().Memory(b.World), shape{b.Size, b.size()})
}

// Place says where the board is before its first call, to all members or to none: m is what Reserve has returned, at
// member 0, and word its Word.
func (b *Board) Place(m Memory, word uint64) { b.memory, b.told = m, word }

// Known tells whether this member needs no message to find the board: it has been told where it is. All members get the
// same answer before their first calls, and when all have met.
func (b *Board) Known() bool { return b.head != nil || b.told != 0 }

// make makes the board.
func (b *Board) make() bool {
	if b.told == 0 && !b.tellPlace() {
		return false
	}
	mem := b.memory.mem
	if b.Rank != 0 {
		var err error
		if mem, err = b.Engine.Routes().Memory(b.World).Attach(b.world(0), b.told-1, b.size()); err != nil {
			*b.Broken = err
			return false
		}
	}
	b.view(mem)
	b.over = b.Engine.NewCondition(b.isOver, b.waiting)
	b.prepareSlots()
	b.first = b.firstLane(b.laneCount())
	b.inboxes = make([]*shm.Event, b.Size)
	for member := range b.inboxes {
		b.inboxes[member] = b.Job.Inbox(b.world(member))
	}
	return true
}

// tellPlace has member 0 allocate the board and tell the others by messages.
func (b *Board) tellPlace() bool {
	if b.Rank == 0 && b.memory.mem == nil {
		b.memory, *b.Broken = b.allocate()
	}
	word := binary.LittleEndian.AppendUint64(nil, b.memory.Word())
	if err := b.caller.Tell(word); err != nil {
		*b.Broken = cmp.Or(*b.Broken, err)
		return false
	}
	if b.told = binary.LittleEndian.Uint64(word); b.told == 0 {
		*b.Broken = cmp.Or(*b.Broken, errNoBoard)
	}
	return b.told != 0
}

// clear brings the memory into its first state. All members have said that they are done with the team. The lock of the
// pool, and the message that tells the next team of the memory, order this before that team's first access.
func (b *Board) clear() {
	*b.head = head{}
	clear(b.slots)
	b.ring.clear()
	for i := range b.given {
		b.given[i].call.Store(0)
	}
	if b.tree != nil {
		b.tree.clear()
	}
}

// Free gives back the memory that this member has allocated, if it may be used again.
// The caller knows that no member is in a call, and that none will make another one.
func (b *Board) Free(again bool) {
	if again && b.Pool != nil && b.memory.mem != nil {
		b.view(b.memory.mem)
		b.clear()
		b.Pool.give(b.memory, shape{b.Size, b.size()})
	}
	b.head, b.memory, b.told = nil, Memory{}, 0
}
