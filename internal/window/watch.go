package window

import (
	"cmp"
	"fmt"
	"os"
	"sync"

	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/trace"
)

// watch is what calls do beside their work when they are counted, recorded or checked. Other windows have none.
type watch struct {
	checks bool

	mu      sync.Mutex
	fences  uint32           // calls of Fence so far: the same on all ranks
	touched map[int]struct{} // targets with records of this rank, but for those of Fence
	mixed   bool             // a lock was taken since the last Fence, which may have begun an epoch
	warned  bool             // of that; many programs do so, and no library minds
}

// newWatch is nil if the calls on windows of a communicator need none. It is the same on all ranks.
func newWatch(c *comm.Comm) *watch {
	if checks := comm.Checked(c); checks || comm.Tallied(c) {
		return &watch{checks: checks, touched: map[int]struct{}{}}
	}
	return nil
}

// Watched tells whether calls are counted, recorded or checked.
func (w *Window) Watched() bool { return w.watch != nil }

// operation does an operation that is watched. writes tells whether it may change the memory of the target.
func (w *Window) operation(by uint16, writes bool, p *Place, do func() error) error {
	t := w.own.BeginTally(kinds[min(by, accumulate)])
	err := w.conflict(by, writes, p)
	if err == nil {
		err = do()
	}
	t.End(p.Bytes, w.peer(p.Rank), err)
	return err
}

// peer is a rank of the window as traces know it.
func (w *Window) peer(rank int) int {
	if w.member(rank) != nil {
		return -1
	}
	return comm.JobRank(w.own, rank)
}

// epoch does a call on epochs that is watched, about a rank; -1: about none or all.
func (w *Window) epoch(k trace.Kind, rank int, do func() error) error {
	t := w.own.BeginTally(k)
	v := w.watch
	switch {
	case !v.checks:
	case k == trace.WinUnlock || k == trace.WinFlush:
		w.retire(rank)
	case k == trace.WinLock && w.forbidsLocks():
		lock := call("Lock")
		if rank < 0 {
			lock = "LockAll"
		}
		do = func() error { return syncError("%s on a window with the hint no_locks", lock) }
	case k == trace.WinLock:
		v.mu.Lock()
		v.mixed = v.mixed || w.access.Load() == fenced
		v.mu.Unlock()
	}
	err := do()
	if k == trace.WinWait && err == nil {
		w.forgetOrigins()
	}
	t.End(0, w.peer(rank), err)
	return err
}

// calls does a call on epochs that is about no single rank, watched or not, and completes its error.
func (w *Window) calls(k trace.Kind, op string, do func() error) error {
	if w.watch != nil {
		return w.wrap(op, -1, w.epoch(k, -1, do))
	}
	return w.wrap(op, -1, do())
}

// watchedFence is epoch of Fence. What is wrong with the epoch that it ends is an error after the call: other ranks are
// in it.
func (w *Window) watchedFence(a Assert) error {
	wrong := w.endsWrongly(a)
	err := w.epoch(trace.WinFence, -1, func() error { return w.fence(a) })
	return cmp.Or(err, wrong)
}

// endsWrongly tells what is wrong with an epoch that Fence ends, and counts that.
func (w *Window) endsWrongly(a Assert) (wrong error) {
	v := w.watch
	v.mu.Lock()
	defer v.mu.Unlock()
	switch state := w.access.Load(); {
	case !v.checks:
	case a&NoPrecede != 0 && state == active:
		wrong = syncError("%s with MPI_MODE_NOPRECEDE ends an epoch that has operations", "Fence")
	case a&NoPrecede == 0 && v.mixed && !v.warned:
		v.warned = true
		fmt.Fprintf(os.Stderr, "%s: warning: window %q: a lock was taken between two fences, which begin and end an "+
			"epoch: pass MPI_MODE_NOSUCCEED to the first\n", comm.Who(), w.Name())
	}
	v.fences++
	v.mixed = false
	return wrong
}
