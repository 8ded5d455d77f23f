package board

import (
	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
	"github.com/gopvas/gopvas/shm"
)

// How members meet in a tree, and what they give and get. All calls of such a board go up and down the tree. A member
// waits until its children have arrived, and arrives itself at its parent. The first member does what the last
// arriver of a flat board does, and releases its children, which release theirs. Short calls carry bytes both ways;
// others share work when all are released.
//
// # Blocks
//
// A member writes a block when it arrives, and stores the number of the call in ready as the last. Its parent
// loads ready first. A member with children writes a block that releases them in the same way. Each block has one
// writer, which writes all of it at once, so that its lines move once.
//
// The block of a release is written again in the next call, when all children have arrived there: they are through
// with it. Each member has two blocks of arrivals, used in turn. Any member may read them after the release, until
// it arrives in the next call. The block of a call is written again two calls later. Its writer has been
// released from the call between, in which all had arrived.
//
// All members arrive in each call of the tree, and count these by themselves: other calls of the board go by slots. So
// all have the same number for it, also if their calls do not match. The first member finds that out by the sum of the
// signatures, which the arrivals carry.
//
// # Members that go
//
// A member has completed a call (slot.passed) when it has released its children. A wait in the tree ends if any member
// has gone that has not completed the call: parent, child or a member far away. If it went before it arrived nobody is
// released. If it went later some may be released, and others not. The others all see that it has gone: they look
// for all members, whoever they wait for. A member whose wait has ended so releases nobody. Those below it end
// likewise, for the same cause. One that has completed the call and then leaves has released its children before, and
// ends no wait.
//
// # Calls that do not block
//
// They use the ring, and no place of the tree.

// Load is what a call carries in the tree.
type Load struct {
	Own    []byte // what this member gives, if it gives any
	Length int    // of what each member gives that gives any
	From   int    // the member that gives, AllGive or AllKeep
	Result int    // length of what the first member has for all
}

const (
	// AllGive: what all members give comes to the first one.
	AllGive = -1
	// AllKeep: all members give, and any may read it when it has been released.
	AllKeep = -2
)

// MostKept is how many bytes a member can give with AllKeep. The bytes begin with a cache line, so that what the
// members of a domain want of them is in few lines.
const (
	MostKept = RingData - keptAt
	keptAt   = cacheLine - (blockSize - RingData)
)

// Convey does a call whose load goes up and down the tree. It returns false if the call has failed.
func (b *Board) Convey(l Load) bool {
	if !b.Enter() {
		return false
	}
	b.tree.load, b.tree.loaded = l, true
	b.meet()
	b.tree.load.Own, b.tree.loaded = nil, false
	return b.Failure.Fault == 0 && *b.Broken == nil
}

// Conveyed returns what a member has given: to the first member while it shares the work, with AllKeep to all.
func (b *Board) Conveyed(member int) []byte {
	t := b.tree
	switch l := &t.load; l.From {
	case AllGive:
		return b.arrival(b.Rank).data[int(t.order[member])*l.Length:][:l.Length]
	case AllKeep:
		return b.arrival(member).data[keptAt:][:l.Length]
	default:
		return b.arrival(b.Rank).data[:l.Length]
	}
}

// Answer is where the first member writes what it has for all while it shares the work. It goes into a block together
// with the release.
func (b *Board) Answer() []byte { return b.tree.answer[:b.tree.load.Result] }

// Result returns what the first member has had for all, when this one has been released.
func (b *Board) Result() []byte {
	return b.tree.down[max(b.tree.parent, 0)].data[:b.tree.load.Result]
}

// arrival is the block by which a member arrives in this call.
func (b *Board) arrival(member int) *block { return &b.tree.up[member][b.tree.met%ringBlocks] }

// gather arrives in the tree, and returns what is left to the members when this one has been released, and has
// released its children. It returns false if the call cannot end.
func (b *Board) gather(mine uint64) (units int64, ok bool) {
	t := b.tree
	t.met++
	if !t.loaded {
		t.load = Load{}
	}
	sum, ok := b.collect(mine)
	if !ok {
		return 0, false
	}
	if t.parent < 0 {
		b.lastArriver(mine, sum<<countBits>>countBits)
		units = b.units
	} else {
		b.inboxes[t.parent].Notify()
		if !b.await(parentReleased{}, releasing) {
			return 0, false
		}
		shm.OrderAcquire()
		units = int64(t.down[t.parent].call)
	}
	b.release(uint64(units))
	return units, true
}

// collect waits for the children, and arrives with what they have given. It returns the sum of the signatures.
func (b *Board) collect(mine uint64) (sum uint64, ok bool) {
	t := b.tree
	for i := range t.children {
		t.awaited = t.children[i].member
		if !(childArrived{}).reached(b) && !b.await(childArrived{}, releasing) {
			return 0, false
		}
	}
	shm.OrderAcquire()
	l, p := &t.load, b.arrival(b.Rank)
	switch l.From {
	case AllGive, b.Rank:
		line.Copy(p.data[:], l.Own)
	case AllKeep:
		line.Copy(p.data[keptAt:], l.Own)
	}
	sum = mine
	for i := range t.children {
		c := &t.children[i]
		from := b.arrival(c.member)
		sum += from.call
		line.Reads(&from.call)
		switch {
		case l.From == AllGive:
			line.Copy(p.data[c.at*l.Length:][:c.count*l.Length], from.data[:])
		case l.From >= 0 && t.has(b.Rank, c, l.From):
			line.Copy(p.data[:l.Length], from.data[:])
		}
	}
	p.call = sum
	shm.OrderRelease()
	p.ready.Store(t.met)
	return sum, true
}

// release releases the children.
func (b *Board) release(units uint64) {
	t := b.tree
	if len(t.children) == 0 {
		return
	}
	p, from := &t.down[b.Rank], t.answer
	if t.parent >= 0 {
		from = t.down[t.parent].data[:]
	}
	line.Copy(p.data[:t.load.Result], from)
	p.call = units
	shm.OrderRelease()
	p.ready.Store(t.met)
	for i := range t.children {
		b.inboxes[t.children[i].member].Notify()
	}
}

// treeWait is what the waits in the tree have in common.
type treeWait struct{}

func (treeWait) awaits(b *Board, member int) bool { return allArrived{}.awaits(b, member) }

func (treeWait) through(b *Board, member int) bool { return b.passed(member, b.calls) }

// childArrived: the child that this member waits for has arrived.
type childArrived struct{ treeWait }

func (childArrived) reached(b *Board) bool {
	return b.arrival(b.tree.awaited).ready.Load() == b.tree.met
}

// parentReleased: the parent has released its children.
type parentReleased struct{ treeWait }

func (parentReleased) reached(b *Board) bool {
	return b.tree.down[b.tree.parent].ready.Load() == b.tree.met
}
