package window

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// wait is for a word of the control block.
type wait struct {
	over   func() bool         // it has become what it should
	blocks func(rank int) bool // a rank that has gone can not change it any more
	lock   int                 // the target whose lock it is; -1: the stripe of an accumulate
}

// await returns nil when the wait is over. The error is a *fault.LostError if that does not come about.
func (w *Window) await(a wait) error {
	lost := -1
	over := func() bool {
		if a.over() {
			return true
		}
		lost = comm.FirstGone(w.own, a.blocks)
		return lost >= 0
	}
	if !comm.Look(w.own, over) {
		mine := &w.records[w.me]
		mine.waits.Add(1)
		w.head.sleepers.Add(1)
		err := comm.Await(w.own, over, func() job.Waiting { return w.waiting(a.lock) })
		w.head.sleepers.Add(-1)
		mine.waits.Add(-1)
		if err != nil {
			return err
		}
	}
	if lost >= 0 {
		return fmt.Errorf("%w, which holds the lock", &fault.LostError{Rank: comm.JobRank(w.own, lost)})
	}
	return nil
}

// waiting is what the hang report says of a wait. It names no rank that could end it: another one may have taken the
// lock since.
func (w *Window) waiting(lock int) job.Waiting {
	s := job.Waiting{Op: job.OpWait, Peer: job.AnyPeer, Tag: comm.AnyTag, Context: w.own.ID()}
	s.Collective.Name, s.Collective.Communicator = "an accumulate", w.Name()
	if lock >= 0 {
		s.Collective.Name = fmt.Sprintf("the lock of rank %d", comm.JobRank(w.own, lock))
	}
	return s
}

// changed wakes the ranks that wait for words of the window, after one was changed.
func (w *Window) changed() {
	if w.head.sleepers.Load() == 0 {
		return
	}
	for rank := range w.records {
		if w.records[rank].waits.Load() != 0 {
			comm.Notify(w.own, rank)
		}
	}
}
