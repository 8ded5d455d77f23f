package window

import (
	"fmt"
	"math/bits"

	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// wait is for a word of the control block, or for the answers of a target.
type wait struct {
	over   func() bool         // it has become what it should
	blocks func(rank int) bool // a rank that has gone cannot change it any more
	lock   int                 // the target whose lock it is; none: the stripe of an accumulate
	holder func() int          // the rank that has it alone; none: no rank
	beside bool                // those that hold the lock beside others are waited for, too
	asked  int                 // a target of another node that is to answer, from 1; 0: nobody is asked
}

const none = -1

// await returns nil when the wait is over. The error is a *fault.LostError if that does not come about.
func (w *Window) await(a wait) error {
	lost := -1
	over := w.ends(&a, &lost)
	if !comm.Look(w.own, over) {
		w.asleep(1)
		err := comm.Await(w.own, over, func() job.Waiting { return w.waiting(&a) })
		w.asleep(-1)
		if err != nil {
			return err
		}
	}
	return w.ended(&a, lost)
}

// awaitAside is await for a goroutine that serves other ranks.
func (w *Window) awaitAside(a wait) error {
	lost := -1
	w.asleep(1)
	err := comm.AwaitAside(w.own, w.ends(&a, &lost))
	w.asleep(-1)
	if err != nil {
		return err
	}
	return w.ended(&a, lost)
}

// asleep adds to the number of goroutines of this rank that sleep, or are about to.
//
// A bit says whether there are any: one that comes sets it, and the last one to leave takes it back. That one may find
// that another one has come meanwhile, whose bit this was. Then it sets the bit again, and notifies its own rank. A
// rank that has found no bit in between has changed its word before. So the one that has come asks for that word after
// the change. It may have left before the bit was set again, so the one that has set it looks once more.
func (w *Window) asleep(more int32) {
	mine := &w.records[w.me].waits
	word, bit := &w.asleepBits()[w.me/bitsOfWord], uint64(1)<<(w.me%bitsOfWord)
	switch left := mine.Add(more); {
	case more > 0:
		word.Or(bit)
	case left == 0:
		for word.And(^bit); mine.Load() > 0; word.And(^bit) {
			word.Or(bit)
			comm.Notify(w.own, w.me)
			if mine.Load() > 0 {
				break
			}
		}
	}
	w.head.sleepers.Add(more)
}

// ends tells whether a wait is over, or a rank is lost, which it notes.
func (w *Window) ends(a *wait, lost *int) func() bool {
	return func() bool {
		if a.over() {
			return true
		}
		*lost = comm.FirstGone(w.own, a.blocks)
		return *lost >= 0
	}
}

// ended is the error of a wait that has ended.
func (w *Window) ended(a *wait, lost int) error {
	switch {
	case lost < 0:
		return nil
	case a.asked > 0:
		return &fault.LostError{Rank: comm.JobRank(w.own, lost)}
	}
	return w.lostLock(comm.JobRank(w.own, lost))
}

// lostLock is the error of a wait for a lock that a rank of the job has taken along.
func (w *Window) lostLock(rank int) error {
	return fmt.Errorf("%w, which holds the lock", &fault.LostError{Rank: rank})
}

// waiting is what the hang report says of a wait: who holds what is waited for. If all that it names stay where they
// are, the wait does not end (job.Prove). So each rank that it names is a holder, or waits for one that is named. If
// that is not known it names nobody.
//
//   - The word of a lock or a stripe names who has it alone. Only that rank gives it back.
//   - Ranks that have a lock beside others are found by their words. A rank that is named here says that it has this
//     lock, or all, or waits for it. It waits only for a rank that has it alone, and then that one is named. If a rank
//     has several locks nobody knows which, and nobody is named.
func (w *Window) waiting(a *wait) job.Waiting {
	s := job.Waiting{Op: job.OpWait, Peer: job.AnyPeer, Tag: comm.AnyTag, Context: w.own.ID()}
	c := &s.Collective
	c.Name, c.Communicator = "an accumulate", w.own.Name()
	if a.lock >= 0 {
		c.Name = fmt.Sprintf("the lock of rank %d", comm.JobRank(w.own, a.lock))
	} else if a.asked > 0 {
		c.Name = fmt.Sprintf("an answer of rank %d", comm.JobRank(w.own, a.asked-1))
	}
	if a.asked > 0 {
		return s // who has the lock is known at the target
	}
	if rank := a.holder(); rank >= 0 {
		c.Miss(comm.JobRank(w.own, rank))
		return s
	}
	if !a.beside {
		return s
	}
	for rank := range w.records {
		switch holds := w.records[rank].held.Load(); {
		case rank == w.me || holds == 0:
		case holds == heldOne(a.lock) || holds == heldAll:
			c.Miss(comm.JobRank(w.own, rank))
		case holds&heldCount > 1:
			c.Missing = 0
			return s
		}
	}
	return s
}

// changed wakes the ranks that wait for words of the window, after one was changed.
func (w *Window) changed() {
	if w.head.sleepers.Load() == 0 {
		return
	}
	words := w.asleepBits()
	for i := range words {
		for left := words[i].Load(); left != 0; left &= left - 1 {
			comm.Notify(w.own, i*bitsOfWord+bits.TrailingZeros64(left))
		}
	}
}

// Changed does what is due after a face has changed a word of the window.
func (w *Window) Changed() { w.changed() }
