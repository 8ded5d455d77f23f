package lock

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// A rank asks for the end of its lock, and goes. Another one takes the lock back, and has it when that request comes.
func TestLateEndOfALock(t *testing.T) {
	_, all := sharedWords(t, 3)
	target := all[0]
	require.True(t, target.Take(0, 1, true))
	target.untilFree(0, true).free(1)
	require.True(t, target.Take(0, 2, true))
	target.Give(0, 1, true)
	require.False(t, target.Take(0, 1, true), "rank 2 has it")
	target.Give(0, 2, true)
	require.True(t, target.Take(0, 1, true))
}

// A goroutine waits for a lock in the name of another rank when this one frees the window.
func TestWaitAsideEnds(t *testing.T) {
	_, all := sharedWords(t, 3)
	target := all[0]
	require.True(t, target.Take(0, 1, true))
	got := make(chan error)
	var left atomic.Bool
	go func() { got <- target.LockAside(2, true, left.Load) }()
	left.Store(true)
	comm.Notify(target.own, 0)
	require.ErrorIs(t, <-got, errLeft)
}

// waitsFor has rank 0 wait, and returns when it sleeps; then end returns what the wait does.
func waitsFor(t *testing.T, w *Words, wait func() error) (end func() error) {
	over := make(chan error, 1)
	go func() { over <- wait() }()
	for w.head.sleepers.Load() == 0 {
		require.Empty(t, over, "it does not wait")
		runtime.Gosched()
	}
	return func() error {
		defer func() { require.Zero(t, w.head.sleepers.Load()) }()
		return <-over
	}
}

// Whoever waits for a lock or a stripe goes on when it is given back.
func TestWaitsUntilGiven(t *testing.T) {
	const place = 5 * StripeBytes
	_, all := sharedWords(t, 3)
	w := all[0]
	var stripe *Stripe
	for name, c := range map[string]struct {
		take, wait, give func() error
	}{
		"alone": {
			func() error { return all[1].Lock(2, false) }, func() error { return w.Lock(2, true) },
			func() error { all[1].Give(2, 1, false); return nil }},
		"beside others": {
			func() error { return all[1].Lock(2, true) }, func() error { return w.Lock(2, false) },
			func() error { all[1].Give(2, 1, true); return nil }},
		"all": {
			func() error { return all[1].Lock(2, true) }, func() error { return w.LockAll(0, 3) },
			func() error { all[1].Give(2, 1, true); return nil }},
		"alone, beside one that has all": {
			func() error { return all[1].LockAll(1, 2) }, func() error { return w.Lock(2, true) },
			func() error { all[1].UnlockAll(); return nil }},
		"for another rank": {
			func() error { return all[1].Lock(0, true) },
			func() error { return w.LockAside(2, false, func() bool { return false }) },
			func() error { all[1].Give(0, 1, true); return nil }},
		"a stripe": {
			func() (err error) { stripe, err = all[1].Enter(place, false); return err },
			func() error { return w.Single(place, false) },
			func() error { all[1].Leave(stripe); return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, c.take())
			end := waitsFor(t, w, c.wait)
			require.NoError(t, c.give())
			require.NoError(t, end())
		})
		for rank := range all { // as nobody had taken anything
			w.records[rank].lock.Store(0)
			w.records[rank].held.Store(0)
		}
		w.head.everyone.Store(0)
	}
	s, err := w.Enter(place, false)
	require.NoError(t, err)
	require.True(t, s.HasSingles())
	require.Equal(t, flag(place), s.singles.Load())
	other, err := w.Enter(place+StripeBytes, false)
	require.NoError(t, err)
	require.False(t, other.HasSingles())
}

// A rank goes with a lock or a stripe. Who waits for it gets an error that names the rank. In a job that survives it
// gets what that rank had alone.
func TestTakenAlong(t *testing.T) {
	alone := func(w *Words) error { return w.Lock(2, true) }
	beside := func(w *Words) error { return w.Lock(2, false) }
	allTargets := func(w *Words) error { return w.LockAll(1, 2) }
	stripe := func(w *Words) error { _, err := w.Enter(0, false); return err }
	for name, c := range map[string]struct {
		take      func(w *Words) error // the rank that goes, which is 1
		wait      func(w *Words) error
		takenBack bool
	}{
		"alone":         {alone, alone, true},
		"for all":       {alone, func(w *Words) error { return w.LockAll(0, 3) }, true},
		"beside others": {beside, alone, false},
		"of all":        {allTargets, alone, false},
		"stripe":        {stripe, func(w *Words) error { return w.Single(0, false) }, true},
	} {
		for _, survive := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				root, all := wordsOf(t, job.Config{Ranks: 3, BTL: job.BTLSM, CPUs: 2,
					Settings: job.Settings{Survive: survive}})
				require.NoError(t, c.take(all[1]))
				end := waitsFor(t, all[0], func() error { return c.wait(all[0]) })
				root.MarkGone(1)
				err := end()
				if survive && c.takenBack {
					require.NoError(t, err)
					return
				}
				var lost *fault.LostError
				require.ErrorAs(t, err, &lost)
				require.Equal(t, 1, lost.Rank)
				require.Zero(t, all[0].records[0].held.Load(), "what it had taken before is given back")
			})
		}
	}
}

// Who waits for a lock of a window that is revoked is told.
func TestRevokedInTheWait(t *testing.T) {
	_, all := wordsOf(t, job.Config{Ranks: 3, BTL: job.BTLSM, CPUs: 2, Settings: job.Settings{Survive: true}})
	require.NoError(t, all[1].Lock(2, true))
	require.NoError(t, comm.Revoke(all[0].own))
	require.ErrorIs(t, all[0].Lock(2, true), comm.ErrRevoked)
	require.ErrorIs(t, all[0].LockAll(0, 3), comm.ErrRevoked)
	require.EqualValues(t, 0, all[0].head.everyone.Load())
}

// The report of a wait names who has the lock, or all that have it beside others, or nobody if that is not known.
func TestReportOfAWait(t *testing.T) {
	_, all := sharedWords(t, 5)
	w := all[0]
	says := func(a wait, name string, ranks ...int) {
		t.Helper()
		c := w.waiting(&a).Collective
		require.Equal(t, name, c.Name)
		require.ElementsMatch(t, ranks, c.Ranks())
	}
	const name = "the lock of rank 2"
	require.True(t, all[0].Take(0, 0, true))
	says(all[1].untilFree(0, true), "the lock of rank 0", 0)
	all[0].Give(0, 0, true)
	require.True(t, all[3].Take(2, 3, true))
	says(w.untilFree(2, true), name, 3)
	says(w.untilFree(2, false), name, 3)
	all[3].Give(2, 3, true)

	require.True(t, all[1].Take(2, 1, false))
	require.True(t, all[4].Take(3, 4, false)) // of another target
	require.NoError(t, all[3].LockAll(0, 5))
	w.hold(0, heldOne(2)) // the rank itself waits for nobody that is itself
	says(w.untilFree(2, true), name, 1, 3)
	says(w.untilFree(2, false), name)
	require.True(t, all[4].Take(1, 4, false))
	says(w.untilFree(2, true), name) // rank 4 has two locks, nobody knows which

	s, err := all[4].Enter(0, false)
	require.NoError(t, err)
	says(untilLeft(s), "an accumulate", 4)
}
