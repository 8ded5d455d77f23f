package coll

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/sys"
)

// Waiting at a board.

// phase is what a member waits for.
type phase uint8

const (
	released phase = iota
	finished
	published
	written // the slot of the call
	emptied // the slot, by all members that take from it
)

// await returns true when the phase of call k has come. It returns false if a member has
// gone that has not done its part, and notes which one.
func (t *Team) await(k uint64, p phase) bool {
	t.phase = p
	t.count()
	for range t.Engine.Spin() + 1 { // shm.Look would call a function for each look: 5 % of a short Allreduce
		if t.reached(k) {
			return true
		}
		if t.Engine.GoneCount() != 0 {
			break
		}
	}
	if p != written && t.Engine.Yields() && t.yield(k) { // a member that waits for a slot has yielded before
		return true
	}
	if p == written || p == emptied {
		t.board.sleepers.Add(1)
	}
	err := t.over.Wait()
	if p == written || p == emptied {
		t.board.sleepers.Add(-1)
	}
	if err != nil {
		t.broken = err
		return false
	}
	return t.reached(k) || !t.leave(k)
}

// turns is how often a member that shares its CPU lets others run before the engine waits for it.
const turns = 2

// yield lets other processes run, and tells whether the phase of call k has come. A wait of the engine is
// much more code, which is slow after each switch of processes. Messages, and work of others, are left
// meanwhile, as if the rank computed.
func (t *Team) yield(k uint64) bool {
	for range turns {
		sys.Yield()
		if t.reached(k) {
			return true
		}
	}
	return false
}

// isOver tells a sleeping member whether its wait is over.
func (t *Team) isOver() bool {
	return t.reached(t.calls) || t.Engine.GoneCount() != 0 && t.missing(t.calls) >= 0
}

// waiting is what the hang report says of a member that waits at the board.
func (t *Team) waiting() job.Waiting {
	w := job.Waiting{Context: t.Context}
	t.sayCall(&w, job.NeedAll)
	for member := range t.Size {
		if t.awaits(member) {
			w.Collective.Miss(t.world(member))
		}
	}
	return w
}

// sayCall says which call it is that this member waits in.
func (t *Team) sayCall(w *job.Waiting, need job.Need) {
	w.Op = job.OpCollective
	w.Collective = job.Collective{Name: t.called, Number: t.turn, Agreed: t.agreement(), Need: need}
	if t.Name != nil {
		w.Collective.Communicator = t.Name()
	}
}

// agreement is what members have to agree about in the call of the program that is underway.
func (t *Team) agreement() job.Agreed {
	if t.whole != nil {
		t = t.whole
	}
	return job.Agree(t.Context, t.turn, t.call)
}

// explain is what the hang report says of a member that waits for a message of a call.
func (t *Team) explain(w *job.Waiting) {
	if t.called == "" || w.Peer < 0 {
		return // it is not a call of the team
	}
	peer := int(w.Peer)
	t.sayCall(w, job.NeedPeers)
	w.Collective.Miss(peer)
}

// awaits tells whether this member waits for another one. That may be in the call and wait
// as well, and says so itself: see job.NeedAll.
func (t *Team) awaits(member int) bool {
	k, b := t.calls, t.board
	if member == t.Rank {
		return false
	}
	switch t.phase {
	case released:
		return atomic.LoadUint64(&b.slots[member].record.call) < k
	case published:
		return b.pages[member][k&1].call.Load() != k
	case written:
		return member == t.args.Root
	case emptied:
		return b.slots[member].passed.Load() < t.slotOf(k).call.Load()
	}
	return b.slots[member].passed.Load() < k
}

// reached tells whether the phase of call k has come, or a member has arrived at the board,
// which means another call. The caller looks once more for what it waits for: a member that
// has completed call k may have arrived in the next one.
func (t *Team) reached(k uint64) bool {
	switch t.phase {
	case released:
		return t.board.released.Load() >= k
	case published:
		return t.allPublished(k) || t.board.arrivals.Load() != 0
	case written:
		return t.slotOf(k).call.Load() == k || t.board.arrivals.Load() != 0
	case emptied:
		return t.allPassed(t.slotOf(k).call.Load()) || t.board.arrivals.Load() != 0
	}
	return t.board.finished.Load() >= t.board.units
}

// wake wakes all members that sleep.
func (t *Team) wake() {
	for i := 1; i < t.Size; i++ {
		t.inboxes[t.neighbour(i)].Notify()
	}
}
