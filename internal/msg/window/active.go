package window

import (
	"cmp"
	"fmt"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/window/epoch"
	"github.com/gopvas/gopvas/trace"
)

// Assert is what the program promises of an epoch.
type Assert = epoch.Assert

// The assertions.
const (
	NoCheck   = epoch.NoCheck
	NoStore   = epoch.NoStore
	NoPut     = epoch.NoPut
	NoPrecede = epoch.NoPrecede
	NoSucceed = epoch.NoSucceed
)

// Epochs of active targets: those of Fence, and of Post, Start, Complete and Wait.

// Fence ends an epoch, and begins the next one, of all ranks. It does so, too, if an operation on a rank of another
// node has failed, and returns that error: the other ranks are in it.
func (w *Window) Fence(a Assert) error {
	if w.watch != nil {
		return w.wrap("fence", -1, w.watch.Fence(a, w.Name(), func() error { return w.fence(a) }))
	}
	return w.wrap("fence", -1, w.fence(a))
}

func (w *Window) fence(a Assert) error {
	if err := w.epochs.MayFence(); err != nil {
		return err
	}
	failed := w.remote.FlushAll()
	if a&(NoPrecede|NoSucceed) != NoPrecede|NoSucceed {
		if err := w.own.Barrier(); err != nil {
			w.epochs.Fence(NoSucceed) // the operations of this rank are over
			return cmp.Or(failed, comm.Bare(err))
		}
	}
	w.epochs.Fence(a)
	return failed
}

// membersOf are the ranks of a window that a group has.
func membersOf(own *comm.Comm, g *comm.Group) ([]int, error) {
	ranks := make([]int, g.Size())
	for i := range ranks {
		ranks[i] = i
	}
	ranks, err := g.TranslateRanks(ranks, own.Group())
	for i, rank := range ranks {
		if rank == comm.Undefined {
			return nil, fmt.Errorf("%w: rank %d of the group is not in the window", ErrArgument, i)
		}
	}
	return ranks, err
}

// Post begins an exposure epoch for the ranks of a group.
func (w *Window) Post(g *comm.Group, a Assert) error {
	return w.call(trace.WinPost, "post", func() error {
		ranks, err := membersOf(w.own, g)
		if err == nil {
			err = w.epochs.Post(ranks)
		}
		if err == nil && a&NoCheck == 0 {
			err = w.signals.tell(ranks, tagPosted)
		}
		return err
	})
}

// Start begins an access epoch to the ranks of a group. It waits for their Post.
func (w *Window) Start(g *comm.Group, a Assert) error {
	return w.call(trace.WinStart, "start", func() error {
		ranks, err := membersOf(w.own, g)
		if err == nil {
			err = w.epochs.Start(ranks)
		}
		if err != nil {
			return err
		}
		if a&NoCheck == 0 {
			if err := w.signals.hear(ranks, tagPosted); err != nil {
				w.epochs.Abandon()
				return err
			}
		}
		w.epochs.Open()
		return nil
	})
}

// Complete ends the epoch of Start. The targets learn of that also if an operation has failed: see Fence.
func (w *Window) Complete() error {
	return w.call(trace.WinComplete, "complete", func() error {
		ranks, err := w.epochs.Complete()
		if err != nil {
			return err
		}
		failed := w.remote.Flush(ranks...)
		return cmp.Or(failed, w.signals.tell(ranks, tagCompleted))
	})
}

// Wait ends the exposure epoch of Post. It waits for the Complete of its ranks.
func (w *Window) Wait() error {
	return w.call(trace.WinWait, "wait", func() error {
		ranks, err := w.epochs.Exposure("Wait")
		if err == nil {
			err = w.signals.hear(ranks, tagCompleted)
			w.epochs.Left(nil)
		}
		return err
	})
}

// Test is Wait, but it returns false if that had to wait.
func (w *Window) Test() (done bool, err error) {
	ranks, err := w.epochs.Exposure("Test")
	exposed := err == nil
	for err == nil && len(ranks) > 0 {
		var came bool
		if came, err = w.signals.came(ranks[0], tagCompleted); err != nil || !came {
			break
		}
		if err = w.signals.hear(ranks[:1], tagCompleted); err == nil {
			ranks = ranks[1:]
		}
	}
	if exposed {
		w.epochs.Left(ranks)
	}
	if err != nil {
		return false, w.wrap("test", -1, err)
	}
	done = len(ranks) == 0
	if done && w.watch != nil {
		w.watch.Waited()
	}
	return done, nil
}

// call does a call on epochs that is about no single rank, watched or not, and completes its error.
func (w *Window) call(k trace.Kind, op string, do func() error) error {
	if w.watch != nil {
		return w.wrap(op, -1, w.watch.Call(k, -1, do))
	}
	return w.wrap(op, -1, do())
}
