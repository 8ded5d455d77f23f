package lock

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// wait is for a word.
type wait struct {
	over   func() bool         // it has become what it should
	blocks func(rank int) bool // a rank that has gone cannot change it any more
	free   func(rank int)      // gives back what that rank has alone
	left   func() bool         // this rank frees the window, whose words may be no more then; nil: it does not
	lock   int                 // the target whose lock it is; none: the stripe of an accumulate
	holder func() int          // the rank that has it alone; none: no rank
	beside bool                // those that hold the lock beside others are waited for, too
}

const none = -1

// await returns nil when the wait is over. The error is that of Lost if it never will be. aside says that this
// goroutine serves other ranks, and takes no part in the messages of its own. In a job that survives a rank that has
// gone loses what it had alone.
func (w *Words) await(a wait, aside bool) error {
	for {
		lost, err := w.awaitOnce(&a, aside)
		if err != nil || lost == none {
			return err
		}
		if job.Survives(comm.Root(w.own)) {
			a.free(lost)
			w.Changed()
		}
		if a.blocks(lost) {
			return Lost(comm.JobRank(w.own, lost))
		}
	}
}

// awaitOnce is await until the wait is over, or a rank that has gone is in its way: lost. The error is
// comm.ErrRevoked if the window was revoked, or errLeft.
func (w *Words) awaitOnce(a *wait, aside bool) (lost int, err error) {
	lost = none
	over := func() bool {
		if a.over() {
			return true
		}
		switch {
		case comm.HasHeard(w.own):
			err = comm.ErrRevoked
		case a.left != nil && a.left():
			err = errLeft
		}
		if err != nil {
			return true
		}
		lost = comm.FirstGone(w.own, a.blocks)
		return lost != none
	}
	if !aside && comm.Waiter(w.own).Look(over) {
		return lost, err
	}
	w.asleep(1)
	defer w.asleep(-1)
	var failed error
	if aside {
		failed = comm.AwaitAside(w.own, over)
	} else {
		failed = comm.Await(w.own, over, func() job.Waiting { return w.waiting(a) })
	}
	return lost, cmp.Or(failed, err)
}

var errLeft = errors.New("the target has freed the window")

// Lost is the error of a wait for a lock that a rank of the job has taken along.
func Lost(rank int) error {
	return fmt.Errorf("%w, which holds the lock", &fault.LostError{Rank: rank})
}

// asleep adds to the number of goroutines of this rank that sleep, or are about to.
//
// A bit says whether there are any: one that comes sets it, and the last one to leave takes it back. That one may find
// that another one has come meanwhile, whose bit this was. Then it sets the bit again, and notifies its own rank. A
// rank that has found no bit in between has changed its word before. So the one that has come asks for that word after
// the change. It may have left before the bit was set again, so the one that has set it looks once more.
func (w *Words) asleep(more int32) {
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

// waiting is what the hang report says of a wait: it names every rank that could end the wait, or none if they are not
// all known. A proof of a deadlock relies on that (job.Prove). So each named rank is a holder, or waits for one that is
// named.
//
//   - The word of a lock or a stripe names who has it alone. Only that rank gives it back.
//   - Ranks that have a lock beside others are found by their words. A rank that is named here says that it has this
//     lock, or all, or waits for it. It waits only for a rank that has it alone, and then that one is named. If a rank
//     has several locks nobody knows which, and nobody is named.
func (w *Words) waiting(a *wait) job.Waiting {
	s := job.Waiting{Op: job.OpWait, Peer: job.AnyPeer, Tag: comm.AnyTag, Context: w.own.ID()}
	c := &s.Collective
	c.Name, c.Communicator = "an accumulate", w.own.Name()
	if a.lock >= 0 {
		c.Name = fmt.Sprintf("the lock of rank %d", comm.JobRank(w.own, a.lock))
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

// Changed wakes the ranks that wait for words of the window, after one was changed.
func (w *Words) Changed() {
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
