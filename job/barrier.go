package job

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/sys"
)

// Barrier returns nil when every rank of the job has called it as many times as
// the caller has. It blocks until then, spinning Spin() times at first and
// sleeping later. It returns a *LostError (wrapped) naming a rank that has gone
// without having arrived; all later barriers do so too, and at once. When a rank
// goes while it is arriving, some ranks may get nil and others the error.
//
// Only the rank itself may call it, and not from two goroutines at a time.
//
// Protocol. Rank r keeps in its own word how many barriers it has entered; all
// ranks together count their arrivals in one word. In barrier k a rank
//
//	(B1) returns the error if a rank has gone that has not entered k
//	(B2) arrivals++
//	(B3) arrived[r] = k
//	(B4) if arrivals was the last one, k*n: signals; else waits for
//	     arrivals >= k*n, or for a rank that has gone with arrived < k
//
// Nobody waits for ever, wherever a rank is killed. Killed before B2 or between B2
// and B3, it leaves arrived < k, and MarkGone wakes the others, who find that (in
// the second case they may find k complete instead, which is as true). Killed
// after B3 it counts as arrived, and the barrier depends on the others alone.
// Killed as the last one between B2 and its signal, MarkGone signals for it.
//
// Nobody returns nil too early. arrivals reaches k*n only by n arrivals in each of
// the barriers 1 to k if no rank counts itself in barrier k+1 before k is
// complete. A rank can get to k+1 with k incomplete only by an error in k, which
// is for a rank that has gone with arrived < k, and then B1 holds in k+1 as well.
func (r *Root) Barrier(rank int) error {
	b, err := r.rank(rank)
	if err != nil {
		return fmt.Errorf("job: barrier: %w", err)
	}
	k := b.arrived.Load() + 1
	last := k * uint64(len(r.ranks))
	if lost := r.lostBefore(k); lost >= 0 {
		return fmt.Errorf("job: barrier: %w", &LostError{Rank: lost})
	}
	n := r.head.arrivals.Add(1)
	b.arrived.Store(k)
	if n == last {
		r.head.barrierEvent.Signal()
		return nil
	}
	over := func() bool { return r.head.arrivals.Load() >= last || r.lostBefore(k) >= 0 }
	err = r.awaitBarrier(rank, over)
	switch {
	case err != nil:
		return fmt.Errorf("job: barrier: %w", err)
	case r.head.arrivals.Load() >= last:
		return nil
	}
	return fmt.Errorf("job: barrier: %w", &LostError{Rank: r.lostBefore(k)})
}

// awaitBarrier spins, and then sleeps and says so to those who look from outside.
func (r *Root) awaitBarrier(rank int, over func() bool) error {
	for range r.settings.Spin + 1 {
		if over() {
			return nil
		}
	}
	r.SetWaiting(rank, Waiting{Op: OpBarrier, Peer: AnyPeer, Since: sys.Monotonic()})
	err := r.head.barrierEvent.Wait(0, over)
	r.ClearWaiting(rank)
	return err
}
