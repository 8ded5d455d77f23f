package coll

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/coll/cad"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/shm"
)

// countBits is how many bits of head.arrivals count.
const countBits = 20

// direct does the call on the team's board. See doc.go.
func direct(t *Team) {
	if k, ok := t.enter(); ok {
		t.meet(k)
	}
}

// enter returns the number of the call on the board, or false if the call can not be done.
func (t *Team) enter() (k uint64, ok bool) {
	if t.board == nil && !t.makeBoard() {
		return 0, false
	}
	k = t.calls + 1
	if t.gone(k) {
		return 0, false // without having arrived, as in all later calls
	}
	t.calls = k
	return k, true
}

// meet is direct from the arrival on.
func (t *Team) meet(k uint64) {
	b := t.board
	t.announce(k)
	mine := t.hash(k)
	shm.OrderRelease()
	if n := b.arrivals.Add(mine<<countBits | 1); int(n&(1<<countBits-1)) == t.Size {
		shm.OrderAcquire()
		t.lastArriver(k, mine, n>>countBits)
	} else {
		if b.pages != nil || b.sleepers.Load() != 0 {
			t.wake() // members that wait for our page or slot are to see that we are here
		}
		if !t.await(k, released) {
			return
		}
	}
	shm.OrderAcquire()
	if b.units > 0 {
		t.work()
		if !t.await(k, finished) {
			return
		}
		shm.OrderAcquire()
	} else {
		t.calls = b.released.Load() // members in different calls go on together
	}
	t.takeMisfit()
	if b.failure.Fault() != 0 {
		t.failure = b.failure.Failure() // the same for all
	}
	b.slots[t.Rank].passed.Store(t.calls)
}

// makeBoard has member 0 allocate the board and tell the others.
func (t *Team) makeBoard() bool {
	size, zeros := t.boardSize()
	buf := make([]byte, 8)
	var failure error
	if t.Rank == 0 {
		at, err := t.newBoard(size, zeros)
		if failure = err; err == nil {
			binary.LittleEndian.PutUint64(buf, at+1) // 0: there is none
		}
	}
	err := t.tell(buf)
	at := binary.LittleEndian.Uint64(buf)
	mem := t.boardMemory.mem
	if err == nil && at != 0 && t.Rank != 0 {
		mem, err = t.Engine.Memory(t.World).Attach(t.world(0), at-1, size)
	}
	switch {
	case failure != nil:
		t.broken = failure
	case err != nil:
		t.broken = err
	case at == 0:
		t.broken = errNoBoard
	default:
		t.board = t.boardAt(mem)
		t.over = t.Engine.NewCondition(t.isOver, t.waiting)
		t.inboxes = make([]*shm.Event, t.Size)
		for member := range t.inboxes {
			t.inboxes[member] = t.Job.Inbox(t.world(member))
		}
		return true
	}
	return false
}

// announce writes this member's record of the call.
func (t *Team) announce(k uint64) {
	a := &t.args
	n := &t.board.slots[t.Rank].record
	atomic.StoreUint64(&n.call, k) // the hang report of others reads it at any time
	n.word, n.size = t.call, uint64(t.size)
	n.source, n.sent = cad.AddressOf(a.Send.Data), uint64(len(a.Send.Data))
	n.result, n.wanted = cad.AddressOf(a.Recv.Data), uint64(len(a.Recv.Data))
	n.send, n.recv = a.Send.layout(), a.Recv.layout()
	if a.typed() {
		t.board.typed.Store(1)
		n.send.tell(&a.Send, &t.refs[0])
		n.recv.tell(&a.Recv, &t.refs[1])
	}
	if a.Irregular {
		n.longest = uint64(max(a.Send.Len(), a.Recv.longest(t.Size)))
		if a.Kind == Scatter || a.Kind == Alltoall {
			n.longest = uint64(a.Send.longest(t.Size))
		}
	}
}

// hash is a word about call k: the same for all members if they make the same call, and most
// likely not the same otherwise.
func (t *Team) hash(k uint64) uint64 {
	h := t.call ^ k*0x94d049bb133111eb ^ bits.RotateLeft64(uint64(t.size)*0x9e3779b97f4a7c15, 31)
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h >> countBits
}

func (b *Buffer) layout() layout {
	return layout{block: uint64(b.Block), unit: uint64(b.Unit),
		counts: numbersAddress(b.Counts), displs: numbersAddress(b.Displs)}
}

// lastArriver makes sure that all members make the same call, plans the work, does it if it is
// little, and releases the others.
func (t *Team) lastArriver(k, mine, sum uint64) {
	b := t.board
	b.arrivals.Store(0)
	b.units = 0
	b.failure.Reset()
	typed := int(b.typed.Load())
	if typed != 0 {
		b.typed.Store(0)
	}
	if sum != mine*uint64(t.Size)<<countBits>>countBits {
		k = t.findMismatch()
	} else if p, units := t.makePlan(typed); units > 0 {
		b.plan = p
		t.workload(units)
	}
	shm.OrderRelease()
	b.released.Store(k)
	t.wake()
}

// workload does the work if it is little, and opens the lanes if it is not.
func (t *Team) workload(units int) {
	b := t.board
	if t.solo(units) {
		for i := range units {
			t.unit(i)
		}
		b.failure.Note(t.failure)
		return
	}
	b.units = int64(units)
	b.finished.Store(0)
	for i := range t.lanes() {
		b.lanes[i].next.Store(int64(share(units, i, t.lanes())))
	}
}

// lanes returns the number of lanes: one for each member that can run at a time.
func (t *Team) lanes() int { return min(t.Size, t.Job.CPUs(), maxLanes) }

// findMismatch notes which member's call is unlike that of most. It returns the number of the
// last call that any member is in.
func (t *Team) findMismatch() (last uint64) {
	slots := t.board.slots
	for i := range slots {
		last = max(last, slots[i].record.call)
	}
	if f := t.board.inherited.Failure(); f.Fault != 0 {
		t.board.failure.Note(f)
		t.board.inherited.Reset()
		return last
	}
	t.board.failure.Note(t.difference(func(i int) call {
		n := &slots[i].record
		return call{n.word, n.size, n.call}
	}))
	return last
}

// call is what members compare.
type call struct{ word, size, number uint64 }

// difference returns what is wrong with the calls of the members, which are not all alike. It
// names a member that refuses its call, or else the member whose call is unlike most others.
func (t *Team) difference(of func(member int) call) cad.Failure {
	other, fewest := 0, t.Size+1
	for i := range t.Size {
		alike := 0
		for j := range t.Size {
			if of(i) == of(j) {
				alike++
			}
		}
		if cad.IsRefused(of(i).word) {
			alike = 0
		}
		if alike < fewest {
			other, fewest = i, alike
		}
	}
	for i := range t.Size {
		if a, b := of(other), of(i); a != b {
			f := cad.Between(t.world(other), a.word, t.world(i), b.word)
			if f.Fault == 0 { // the same call at another time, or of another length beyond a GiB
				f = cad.Failure{Fault: cad.Mismatch | cad.Fault(t.world(i))<<16 | cad.Fault(t.world(other))}
			}
			return f
		}
	}
	return cad.Failure{}
}

// work does units until there are none left that nobody has begun, first those of
// this member's own lane.
func (t *Team) work() {
	b := t.board
	units, lanes := int(b.units), t.lanes()
	for i := range lanes {
		if b.finished.Load() == b.units {
			return
		}
		l := (t.Rank + i) % lanes
		end := int64(share(units, l+1, lanes))
		for b.lanes[l].next.Load() < end {
			u := b.lanes[l].next.Add(1) - 1
			if u >= end {
				break
			}
			shm.OrderAcquire()
			t.unit(int(u))
			t.unitDone()
		}
	}
}

// unitDone counts a unit that is done. After the last one it wakes all members.
func (t *Team) unitDone() {
	b := t.board
	b.failure.Note(t.failure)
	shm.OrderRelease()
	if b.finished.Add(1) == b.units {
		t.wake()
	}
}

// misfit notes that one member sends another member a block of another length than that member expects. Only the calls
// of these two fail.
func (t *Team) misfit(from, to, sent, expected int) {
	f := cad.Length | cad.Fault(t.world(to))<<16 | cad.Fault(t.world(from))
	for _, member := range []int{from, to} {
		if m := &t.board.slots[member].misfit; m.fault.CompareAndSwap(0, uint64(f)) {
			m.sent, m.expected = uint64(sent), uint64(expected)
		}
	}
}

// takeMisfit takes and clears the misfit of this member, after the call.
func (t *Team) takeMisfit() {
	m := &t.board.slots[t.Rank].misfit
	if f := m.fault.Load(); f != 0 {
		t.note(cad.Failure{Fault: cad.Fault(f), Detail: [2]uint64{m.sent, m.expected}})
		m.fault.Store(0)
	}
}

// gone notes a member that has gone and has not completed the call before k: then k can not
// end. Other members may not have noticed, but will.
func (t *Team) gone(k uint64) bool { return t.Engine.GoneCount() != 0 && t.lost(k) }

// lost notes a member that has gone and has not completed call k.
func (t *Team) lost(k uint64) bool {
	member := t.missing(k)
	if member < 0 {
		return false
	}
	what := cad.Lost
	if t.board.slots[member].passed.Load() >= k {
		what = cad.Mismatch
	}
	t.note(cad.About(what, t.culprit(member)))
	return true
}

// culprit returns the rank to be named if a member has gone. In a step of a larger team, the
// member may have left because another rank of the larger team has died: then that one is named.
func (t *Team) culprit(member int) int {
	if t.transport.Whole != nil {
		if first, ok := t.Job.Lost(); ok && t.Job.State(first) != job.StateFinal && t.transport.Whole(first) {
			return first
		}
	}
	return t.world(member)
}

// leave is lost for a member that has arrived in the call: others may go on with it, and
// with this member's buffers.
func (t *Team) leave(k uint64) bool {
	if !t.lost(k) {
		return false
	}
	t.leaked = append(t.leaked, leak{t.args, t.refs})
	t.refs = [2][]btl.Ref{}
	return true
}

// missing returns a member that has gone and has not completed call k, or -1. If there are
// several it returns the rank that went first: others often go only because of it.
func (t *Team) missing(k uint64) int {
	first, _ := t.Job.Lost()
	member := -1
	for i := range t.board.slots {
		rank := t.world(i)
		if t.Job.Gone(rank) && !t.through(i, k) {
			if rank == first {
				return i
			}
			if member < 0 {
				member = i
			}
		}
	}
	return member
}

// through tells whether a member has nothing more to do for call k. A member that has gone
// and has not done what this one waits for was in another call.
func (t *Team) through(member int, k uint64) bool {
	b := t.board
	switch {
	case t.calls < k: // not entered yet
	case t.phase == published && b.pages[member][k&1].call.Load() == k:
		return true
	case t.phase == released, t.phase == written && member == t.args.Root:
		return false
	}
	return b.slots[member].passed.Load() >= k
}
