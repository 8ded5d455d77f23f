package board

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/shm"
)

// Slots, for calls in which a member gives bytes and needs none in return. It writes them into a slot of its own and
// goes on. Each member that needs the bytes takes them when it gets there. Nobody waits for members that are behind:
// a rank does as many calls as it can, until it needs bytes that are not given yet, or a slot that is not free.
//
// # Invariant
//
// A member has some slots and uses them in turn, by the number of the call. It writes a slot when all readers of what
// the slot holds have completed the call that this was given in (slot.passed). Its owner remembers who they are (lent).
// So a member gets ahead of its readers by at most as many calls as it has slots. A reader takes bytes between two
// looks of its own: call says that all else of the slot is there, and the reader stores passed when it is through.
// A slot has one writer, and call is the last that it writes, and the first that a reader loads.
//
// Short bytes lie in the line of the slot itself. Longer ones lie in a piece. A member has fewer pieces than slots, and
// uses them in turn, too: the same rule holds for them. Pieces lie behind all slots. Memory that no call has touched is
// none, so a board that carries short calls is small. A vector that is longer than a piece goes in several, each of
// which is a call by itself.
//
// # Members that go
//
// A member stores passed at the end of a call, when it has given all that it gives and taken all that it takes. So what
// a dead member has left undone in call k is seen by passed < k, whichever instruction it died at. Every wait in call k
// ends if any member has gone with passed < k, whoever that wait is for: the member that this one waits for may itself
// have given up because of the dead one. Likewise nobody enters a call that a dead member has not passed. If all that
// have gone have passed k, no wait in call k ends so, and no member gives up in it or before: by induction over the
// calls and the members each one that is alive gives what others wait for. The slots of a dead member stay readable.
//
// # Waking
//
// Who sleeps for a slot, written or free, counts itself in watchers, and then looks a last time. Who gives or passes
// stores that, and then loads watchers. So one of the two sees the other. A giver wakes its readers. Who passes wakes
// those whose slots it has read.
//
// # Calls that differ
//
// A reader compares the signature in the slot with its own. The giver may have gone on by then: it learns nothing. A
// member that waits looks for arrivals at the board too. Those in later calls are of members that are ahead. One in
// this call or before means that calls do not match: see crossed. Members then arrive in different calls, so the
// signature of an arrival has the number of the call. One that waits in vain finds those that wait in another call of
// the same number: see astray.

const (
	MostSlots  = 64             // of a member: the more, the less a late one holds up others
	MostPieces = 16             // likewise, which are longer
	boardSlots = 1024           // of all members, if two a member are fewer
	ShortSlot  = cacheLine - 16 // longest vector that lies in the slot itself
	Eager      = 4 << 10        // longest vector that goes by slots, whatever the members: as of messages
	MostPiece  = 32 << 10       // longest piece
	boardPiece = 8 << 20        // all pieces of a board
	fewPieces  = 4              // of a member with a CPU for itself
	slotBytes  = Eager          // see capacity
	lingering  = 28             // yields of a member before it waits as for anything else

	// A reader looks for calls that differ once in crossedLooks looks: that may read lines of all members.
	crossedLooks = 64
)

// given is a slot. Only its owner writes it.
type given struct {
	call line.Uint64 // number of the call, when all else is there
	sig  uint64      // its signature
	data [ShortSlot]byte
}

// lent is what a slot or a piece of this member holds.
type lent struct {
	call    uint64
	readers []int32
}

// slotted is what a member knows of its slots and of those of others.
type slotted struct {
	given                 []given // nil: no call has been made yet; those of a member lie together
	pieces                []byte  // likewise
	slotsLent, piecesLent []lent
	heard                 []uint64 // of each member a call that it has passed, as was seen

	others   []int32 // all but this member
	near     []int32 // those of its domain that take from it what the root of a broadcast gives
	audience []int32 // those that take from it if it is the root
	everyone []int32 // all members, in order

	source int    // the member that this one takes from
	taken  *given // the slot of that
	lending
}

// lending is what this member gives, or waits to give.
type lending struct {
	own  *given
	held [2]*lent // what has to be free: the slot, and the piece
}

// capacity is what a member can give by slots. It follows from the members, and each call asks for it.
type capacity struct {
	slotCount, pieceCount int // of a member
	pieceBytes            int // that it can give in one call
	broadcast             int // length of the longest broadcast that goes by slots
}

func (m *Members) capacity() capacity {
	powerOfTwo := func(n int) int { return 1 << (bits.Len(uint(n)) - 1) }
	c := capacity{slotCount: max(2, min(MostSlots, powerOfTwo(max(1, boardSlots/m.Size)))), broadcast: Eager}
	c.pieceCount = min(fewPieces, c.slotCount)
	longest := min(MostPiece, Eager*m.Size) // a scatter has a block for each
	if m.Oversubscribed {
		c.pieceCount, longest, c.broadcast = min(MostPieces, c.slotCount), MostPiece, math.MaxInt
		if m.Direct {
			// The members can share the work of a longer broadcast, and copy it once. But all meet for that, so
			// members that share a CPU wait for one another: as long as the second copy of slotBytes for each of
			// them takes. Other ranks of the node are taken to be idle.
			c.broadcast = slotBytes * m.Size / m.Job.CPUs()
			longest = min(longest, c.broadcast)
		}
	}
	c.pieceBytes = max(ShortSlot, min(longest, boardPiece/(m.Size*c.pieceCount))/cacheLine*cacheLine)
	c.broadcast = min(c.broadcast, c.pieceCount*c.pieceBytes) // else its root would wait for the others
	return c
}

// PieceSize is how many bytes a member can give in one call by slots.
func (c *capacity) PieceSize() int { return c.pieceBytes }

// Slotted tells whether n bytes of one member, for all, go by slots.
func (c *capacity) Slotted(n int) bool { return n <= c.broadcast }

// FitsPieces tells whether n bytes fit into the pieces of a member.
func (c *capacity) FitsPieces(n int) bool { return n <= c.pieceCount*c.pieceBytes }

// prepareSlots makes what this member keeps.
func (b *Board) prepareSlots() {
	s := &b.slotted
	s.slotsLent, s.piecesLent = make([]lent, b.slotCount), make([]lent, b.pieceCount)
	s.heard = make([]uint64, b.Size)
	for m := range int32(b.Size) {
		s.everyone = append(s.everyone, m)
		if m != int32(b.Rank) {
			s.others = append(s.others, m)
		}
	}
	s.audience = s.others
	if t := b.tree; b.Groups() != nil {
		s.near, s.audience = nil, nil
		for g, members := range t.groups {
			if g == t.group {
				s.near = without(members, b.Rank)
			} else {
				s.audience = append(s.audience, members[0])
			}
		}
		s.audience = append(s.audience, s.near...)
	}
}

// Route returns from whom a member takes what the root of a broadcast gives, -1 at the root, and to whom it gives that,
// in a call that it has entered. Over domains the first member of each other one takes it from the root, and those
// around it from that. So a line crosses to each domain once.
func (b *Board) Route(root int) (from int, to []int32) {
	t := b.tree
	switch {
	case b.Rank == root:
		return -1, b.audience
	case b.Groups() == nil || t.of[root] == int32(t.group):
		return root, nil
	}
	if first := int(t.groups[t.group][0]); first != b.Rank {
		return first, nil
	}
	return root, b.near
}

// Others are all members but this one, Only is one member, and Behind are n members after one, as readers.
func (s *slotted) Others() []int32              { return s.others }
func (s *slotted) Only(member int) []int32      { return s.everyone[member : member+1] }
func (s *slotted) Behind(member, n int) []int32 { return s.everyone[member+1:][:n] }

// Lend returns where this member writes the n bytes that it gives in the call, for some readers, which hold still. It
// waits until the place is free. nil: the call has failed.
func (b *Board) Lend(n int, readers []int32) []byte {
	i := int(b.calls % uint64(len(b.slotsLent)))
	slot := &b.slotsLent[i]
	at := b.Rank*len(b.slotsLent) + i
	b.own, b.held = &b.given[at], [2]*lent{slot, slot}
	data := b.own.data[:]
	if n > ShortSlot {
		b.held[1] = &b.piecesLent[b.calls%uint64(len(b.piecesLent))]
		data = b.piece(b.Rank)
	}
	if !(b.isFree(slot) && b.isFree(b.held[1])) && !b.awaitFree() {
		return nil
	}
	*slot = lent{b.calls, readers}
	*b.held[1] = *slot
	return data[:n]
}

// piece is where a member gives long bytes in this call.
func (b *Board) piece(member int) []byte {
	count, size := b.pieceCount, b.pieceBytes
	return b.pieces[(member*count+int(b.calls%uint64(count)))*size:][:size]
}

// isFree tells whether all readers are through with what was lent. What was heard of them spares most looks.
func (b *Board) isFree(l *lent) bool {
	for _, m := range l.readers {
		if b.heard[m] < l.call {
			if b.heard[m] = b.slots[m].passed.Load(); b.heard[m] < l.call {
				return false
			}
		}
	}
	return true
}

// awaitFree waits until what this member is to write is free. It returns false if the call cannot go on.
func (b *Board) awaitFree() bool {
	if !b.await(slotFree{}, arriving) {
		return false
	}
	if !b.isFree(b.held[0]) || !b.isFree(b.held[1]) {
		b.meet()
		return false
	}
	return true
}

// Give gives what this member has written to where Lend has said, with the signature of its call.
func (b *Board) Give(sig uint64) {
	b.own.sig = sig
	line.Writes(&b.own.sig)
	shm.OrderRelease()
	b.own.call.Store(b.calls)
	b.wakeWatchers(b.held[0].readers)
}

// Take waits for what a member gives in the call, and returns its first n bytes with the signature. They hold still
// until Pass. ok is false if the call cannot go on.
func (b *Board) Take(from, n int) (data []byte, sig uint64, ok bool) {
	count := len(b.slotsLent)
	s := &b.given[from*count+int(b.calls%uint64(count))]
	b.source, b.taken = from, s
	if s.call.Load() != b.calls {
		if !b.awaitGiven(s) {
			return nil, 0, false
		}
		if s.call.Load() != b.calls { // the wait has ended for another cause
			b.meet()
			return nil, 0, false
		}
	}
	shm.OrderAcquire()
	line.Reads(&s.sig)
	if n > ShortSlot {
		return b.piece(from)[:n], s.sig, true
	}
	return s.data[:n], s.sig, true
}

// awaitGiven waits until a slot is written.
func (b *Board) awaitGiven(s *given) bool {
	b.begin(slotWritten{})
	for i := range b.Engine.Waiter().Spins() {
		if s.call.Load() == b.calls {
			return true
		}
		if i%crossedLooks == crossedLooks-1 && crossed(b) || b.deserted() {
			break
		}
	}
	if !b.Oversubscribed {
		return b.awaitLonger(arriving)
	}
	linger(b)
	return (slotWritten{}).reached(b) || b.sleep(arriving)
}

// Same tells whether a member has given bytes in the call that this one makes. If not that is noted, or why it has not.
func (b *Board) Same(member int, sig, call uint64) bool {
	if sig == call {
		return true
	}
	if f := b.Taken(sig); f.Fault != 0 {
		b.note(f)
	}
	b.note(cad.Between(b.world(member), sig, b.world(b.Rank), call))
	return false
}

// Pass ends a call by slots, in which this member has taken from some.
func (b *Board) Pass(from []int32) {
	shm.OrderRelease()
	b.slots[b.Rank].passed.Store(b.calls)
	if len(from) > 0 {
		b.wakeWatchers(from)
	}
}

// wakeWatchers wakes those of some members that sleep for a slot. What they wait for has been stored.
func (b *Board) wakeWatchers(members []int32) {
	if b.watchers.Load() != 0 {
		for _, m := range members {
			b.inboxes[m].Notify()
		}
	}
}

// crossed tells whether a member has arrived at the board in a call that this one does by slots, or has completed. For
// a call in which all meet this one would have arrived, and been released.
func crossed(b *Board) bool {
	if b.arrivals.Load() == 0 && b.tree == nil {
		return false
	}
	released := b.released.Load()
	for i := range b.slots {
		if k := atomic.LoadUint64(&b.slots[i].record.call); k > released && k <= b.calls {
			return true
		}
	}
	return false
}

// linger lets other processes run until the slot is written, but not for long. Members
// run in turn here, and where few share a CPU, several turns pass before the root has its own. A
// member that slept meanwhile would be woken from the other CPU, and may stay there: then that
// one has still more members, and this one fewer.
func linger(b *Board) {
	for range lingering {
		if (slotWritten{}).reached(b) || b.deserted() {
			return
		}
		b.Engine.Progress()
		sys.Yield()
	}
}

// slotWritten: the slot that this member takes from is written. If its owner has completed the call, and it is not
// written, that was another call.
type slotWritten struct{}

func (slotWritten) reached(b *Board) bool {
	return b.taken.call.Load() == b.calls || b.passed(b.source, b.calls) || crossed(b)
}

func (slotWritten) awaits(b *Board, member int) bool { return member == b.source }

func (slotWritten) through(b *Board, member int) bool {
	return member != b.source && b.passed(member, b.calls)
}

// slotFree: all readers are through with what lies where this member is to write. Other goroutines ask, too, so it
// does not note what it has heard.
type slotFree struct{}

func (slotFree) reached(b *Board) bool {
	if crossed(b) {
		return true
	}
	for m := range b.Size {
		if (slotFree{}).awaits(b, m) {
			return false
		}
	}
	return true
}

func (slotFree) awaits(b *Board, member int) bool {
	for _, l := range b.held {
		for _, m := range l.readers {
			if m == int32(member) && !b.passed(member, l.call) {
				return true
			}
		}
	}
	return false
}

func (slotFree) through(b *Board, member int) bool { return b.passed(member, b.calls) }
