package board

import (
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/shm"
)

// Plan returns how the work of the call is cut: the last arriver writes it.
func (b *Board) Plan() *Plan { return &b.plan }

// open makes units known to the members that work.
func (b *Board) open(units int) {
	b.units = int64(units)
	if units == 0 {
		return
	}
	b.finished.Store(0)
	for i := range b.laneCount() {
		b.lanes[i].next.Store(int64(ShareAt(units, i, b.laneCount())))
	}
}

// laneCount returns the number of lanes: one for each member that can run at a time.
func (b *Board) laneCount() int { return min(b.Size, b.Job.CPUs(), maxLanes) }

// work does units until there are none left that nobody has begun, first those of
// this member's own lane.
func (b *Board) work() {
	units, lanes := int(b.units), b.laneCount()
	for i := range lanes {
		if b.finished.Load() == b.units {
			return
		}
		l := (b.first + i) % lanes
		end := int64(ShareAt(units, l+1, lanes))
		for b.lanes[l].next.Load() < end {
			u := b.lanes[l].next.Add(1) - 1
			if u >= end {
				break
			}
			shm.OrderAcquire()
			b.caller.Unit(int(u))
			b.unitDone()
		}
	}
}

// unitDone counts a unit that is done. After the last one it wakes all members.
func (b *Board) unitDone() {
	b.failure.Note(*b.Failure)
	shm.OrderRelease()
	if b.finished.Add(1) == b.units {
		b.wakeSleepers()
	}
}

// Misfit notes that one member sends another member a block of another length than that member expects. Only the calls
// of these two fail.
func (b *Board) Misfit(from, to, sent, expected int) {
	f := cad.AboutTwo(cad.Length, b.world(from), b.world(to)).Fault
	for _, member := range []int{from, to} {
		if m := &b.slots[member].misfit; m.fault.CompareAndSwap(0, uint64(f)) {
			m.sent, m.expected = uint64(sent), uint64(expected)
		}
	}
}

// takeMisfit takes and clears the misfit of this member, after the call.
func (b *Board) takeMisfit() {
	m := &b.slots[b.Rank].misfit
	if f := m.fault.Load(); f != 0 {
		b.note(cad.Failure{Fault: cad.Fault(f), Detail: [2]uint64{m.sent, m.expected}})
		m.fault.Store(0)
	}
}

// ShareAt returns where the i-th of n shares of length units begins.
func ShareAt(length, i, n int) int {
	q, r := length/n, length%n
	return i*q + min(i, r)
}
