package coll

import (
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/pml"
)

// Waiting at a board.

// phase is what a member waits for.
type phase uint8

const (
	released phase = iota
	finished
	published
	written // the post of the call
	emptied // the post, by all that the call before was for
)

// await returns true when the phase of call k has come, and false, having noted who,
// if a member has gone without having done its part.
func (t *Team) await(k uint64, p phase) bool {
	t.phase = p
	for i := 0; i <= t.Root.Spin(); i++ {
		if t.reached(k) {
			return true
		}
		if t.Root.GoneCount() != 0 {
			break
		}
	}
	if p >= written {
		t.board.sleepers.Add(1)
	}
	err := t.sleep()
	if p >= written {
		t.board.sleepers.Add(-1)
	}
	if t.asleep {
		t.asleep = false
		t.Root.ClearWaiting(t.world(t.Rank))
	}
	if err != nil {
		t.broken = err
		return false
	}
	return t.reached(k) || !t.leave(k)
}

// sleep returns when isOver says true. Meanwhile it helps others.
func (t *Team) sleep() error {
	for {
		err := t.Module.Sleep(0, t.over, t.lasting)
		t.Engine.Awake()
		t.Engine.Help()
		if err != nil || t.isOver() {
			return err
		}
	}
}

// mayGoOn is what a member asks itself in its sleep.
func (t *Team) mayGoOn() bool { return t.isOver() || t.Engine.Wanted() }

// sleepsLong says in the job's root block what this rank waits for.
func (t *Team) sleepsLong() {
	t.asleep = true
	t.Root.SetWaiting(t.world(t.Rank), job.Waiting{
		Op: job.OpBarrier, Peer: job.AnyPeer, Context: t.Context, Since: sys.Monotonic(),
	})
}

func (t *Team) reached(k uint64) bool {
	switch t.phase {
	case released:
		return t.board.released.Load() >= k
	case published:
		// Who is through with this call, and so finds all pages there, may have
		// arrived in the next: so arrivals first.
		strange := t.board.arrivals.Load() != 0
		return t.allPublished(k) || strange
	case written:
		strange := t.board.arrivals.Load() != 0
		return t.postOf(k).call.Load() == k || strange
	case emptied:
		strange := t.board.arrivals.Load() != 0
		return t.allPassed(t.postOf(k).call.Load()) || strange
	}
	return t.board.finished.Load() >= t.board.units
}

// isOver tells whether a wait is over. While a member waits it sees to its messages
// too: a peer may need them to go on before it can get here.
func (t *Team) isOver() bool {
	if t.reached(t.calls) {
		return true
	}
	_, _, _ = t.Engine.Iprobe(t.Context, pml.AnySource, pml.AnyTag)
	return t.reached(t.calls) || t.Root.GoneCount() != 0 && t.missing(t.calls) >= 0
}

// wake wakes all members that sleep.
func (t *Team) wake() {
	for i := 1; i < t.Size; i++ {
		t.Root.Inbox(t.world(t.neighbour(i))).Notify()
	}
}
