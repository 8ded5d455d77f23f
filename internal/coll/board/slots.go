package board

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/coll/cad"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/shm"
)

// Slots, for broadcasts with more ranks than CPUs. The root writes its bytes into
// a slot and goes on. Each other member takes them when it gets there. Nobody waits for members
// that are behind: a rank that has a CPU does as many calls as it can, until it needs a slot
// that is not written yet.
//
// A member has some slots and uses them in turn, by the number of the call. It writes a slot when
// all members have completed the call that the slot was written for before (slot.passed). So it
// gets ahead of the others by at most as many calls. A vector that is longer than a slot goes in
// pieces, each of which is a call by itself. All slots of a board have bounded memory: many
// members have fewer slots each, and shorter pieces.
//
// A member that has taken its bytes notifies the root of the call: nobody else waits for that
// slot to be free.
//
// A member that waits for a slot, written or free, looks for arrivals at the board too. If there are any, and the slot
// is not there, calls do not match. Members then arrive in different calls, so the signature of an arrival has the
// number of the call.

const (
	MostSlots  = 16         // of a member
	boardSlots = 1024       // of all members, if two a member are fewer
	ShortSlot  = 17*64 - 16 // longest vector that lies in the slot itself
	MostPiece  = 32 << 10   // longest piece; it lies behind all slots, so that short ones touch few pages
	boardPiece = 8 << 20    // all pieces of a board
	slotBytes  = 4 << 10    // see slotShare
	lingering  = 28         // yields of a member before it waits as for anything else
)

// slotCount returns how many slots a member has, and pieceSize how long a piece may be.
func (m *Members) slotCount() int { return max(2, min(MostSlots, boardSlots/m.Size)) }

func (m *Members) pieceSize() int {
	longest := MostPiece
	if m.Direct {
		longest = min(longest, m.slotShare())
	}
	return max(ShortSlot, min(longest, boardPiece/(m.Size*m.slotCount()))/cacheLine*cacheLine)
}

// slotShare is the longest vector that goes by slots in one address space. There members can share the work of a
// longer one, and copy it once. But all meet for that, so members that share a CPU wait for one another: as long as the
// second copy of slotBytes for each of them takes. Other ranks of the node are taken to be idle.
func (m *Members) slotShare() int { return slotBytes * m.Size / m.Job.CPUs() }

// Slotted tells whether vectors of n bytes go by slots. One that does not fit into those of a member would have the
// root wait for the others.
func (m *Members) Slotted(n int) bool {
	if !m.Oversubscribed || n <= ShortSlot {
		return m.Oversubscribed
	}
	piece := m.pieceSize()
	fits := piece > ShortSlot && n <= m.slotCount()*piece
	return fits && (!m.Direct || n <= m.slotShare())
}

// Bcast does a broadcast of a buffer by slots. The call has a signature.
func (b *Board) Bcast(root int, call uint64, buf btl.Buffer) {
	piece := b.pieceSize()
	b.root = root
	for at, n := 0, buf.Len(); at < n && b.enter(); at += piece {
		data := b.pickSlot(min(piece, n-at))
		if b.Rank == root && !b.givePiece(call, buf, at, data) || b.Rank != root && !b.takePiece(call, buf, at, data) {
			return
		}
	}
}

// pickSlot finds the slot of the call that this member has entered, and where its n bytes lie.
func (b *Board) pickSlot(n int) []byte {
	count := b.slotCount()
	i := b.root*count + int(b.calls%uint64(count))
	b.bcast = &b.bcasts[i]
	if n > ShortSlot {
		return b.long[i*b.pieceSize():][:n]
	}
	return b.bcast.data[:n]
}

// givePiece writes the bytes from at on into the slot. It returns false if the call has failed.
func (b *Board) givePiece(call uint64, buf btl.Buffer, at int, data []byte) bool {
	if !b.await(slotFree{}, arriving) {
		return false
	}
	if !b.allPassed(b.bcast.call.Load()) {
		b.meet()
		return false
	}
	b.bcast.sig = call
	buf.Pack(data, at)
	shm.OrderRelease()
	b.bcast.call.Store(b.calls)
	b.slots[b.Rank].passed.Store(b.calls)
	b.wakeSleepers()
	return true
}

// takePiece takes the bytes from at on out of the slot. It returns false if the call cannot go on. If the root stands
// for another call, as it does if its own is refused, this member goes through the pieces without taking their bytes.
func (b *Board) takePiece(call uint64, buf btl.Buffer, at int, data []byte) bool {
	b.linger()
	if !b.look(slotWritten{}) && !b.sleep(arriving) {
		return false
	}
	shm.OrderAcquire()
	if b.bcast.call.Load() != b.calls {
		b.meet()
		return false
	}
	if b.bcast.sig == call {
		buf.Unpack(data, at)
	} else {
		b.note(cad.Between(b.world(b.root), b.bcast.sig, b.world(b.Rank), call))
	}
	shm.OrderRelease()
	b.slots[b.Rank].passed.Store(b.calls)
	b.inboxes[b.root].Notify()
	return true
}

// linger lets other processes run until the slot is written, but not for long. Members
// run in turn here, and where few share a CPU, several turns pass before the root has its own. A
// member that slept meanwhile would be woken from the other CPU, and may stay there: then that
// one has still more members, and this one fewer.
func (b *Board) linger() {
	for range lingering {
		if (slotWritten{}).reached(b) || b.deserted() {
			return
		}
		b.Engine.Progress()
		sys.Yield()
	}
}

// slotWritten: the slot of the call is written.
type slotWritten struct{}

func (slotWritten) reached(b *Board) bool {
	return b.bcast.call.Load() == b.calls || b.arrivals.Load() != 0
}

func (slotWritten) awaits(b *Board, member int) bool { return member == b.root }

func (slotWritten) through(b *Board, member int) bool {
	return member != b.root && b.passed(member, b.calls)
}

// slotFree: all members have completed the call that the slot was written for.
type slotFree struct{}

func (slotFree) reached(b *Board) bool {
	return b.allPassed(b.bcast.call.Load()) || b.arrivals.Load() != 0
}

func (slotFree) awaits(b *Board, member int) bool { return !b.passed(member, b.bcast.call.Load()) }

func (slotFree) through(b *Board, member int) bool { return b.passed(member, b.calls) }

// allPassed tells whether all members have completed call k.
func (b *Board) allPassed(k uint64) bool {
	for i := 1; i < b.Size; i++ {
		if !b.passed(b.neighbour(i), k) {
			return false
		}
	}
	return true
}
