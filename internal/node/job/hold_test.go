package job

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/mpi/fault"
)

func TestHoldStopsAllUntilReleased(t *testing.T) {
	const ranks = 5
	r := testRoot(t, Config{Ranks: ranks, Hold: true})
	passed := make([]int, ranks) // plain: the race detector checks the order
	var wg sync.WaitGroup
	for me := range ranks {
		wg.Go(func() {
			for _, h := range []Hold{HoldInit, HoldFinalize} {
				if err := r.Reach(h); err != nil {
					t.Error(err)
				}
				passed[me]++
			}
			r.MarkGone(me) // those who run ahead do not turn a release into a loss
		})
	}
	for i, h := range []Hold{HoldInit, HoldFinalize} {
		require.NoError(t, r.AwaitHold(t.Context(), h))
		if i == 0 {
			require.Equal(t, make([]int, ranks), passed)
		}
		r.Release(h)
	}
	wg.Wait()
	require.Equal(t, []int{2, 2, 2, 2, 2}, passed)
}

// lostIn requires err to name the rank.
func lostIn(t testing.TB, err error, rank int) {
	t.Helper()
	var lost *fault.LostError
	require.ErrorAs(t, err, &lost)
	require.Equal(t, rank, lost.Rank)
}

func TestHoldIsNoOpWithoutConfig(t *testing.T) {
	r := testRoot(t, Config{Ranks: 2})
	require.NoError(t, r.Reach(HoldInit))
}

func TestHoldEndsByLoss(t *testing.T) {
	r := testRoot(t, Config{Ranks: 3, Hold: true})
	errs := make(chan error, 3)
	for range 2 {
		go func() { errs <- r.Reach(HoldFinalize) }()
	}
	go func() { errs <- r.AwaitHold(context.Background(), HoldFinalize) }()
	r.MarkGone(1)
	for range 3 {
		lostIn(t, <-errs, 1)
	}
}

// In a job that survives, those that are left end as ever.
func TestHoldAtFinalizeSurvivesALoss(t *testing.T) {
	r := testRoot(t, Config{Ranks: 2, Hold: true, Settings: Settings{Survive: true}})
	at := make(chan error)
	go func() { at <- r.Reach(HoldFinalize) }()
	r.MarkGone(1)
	require.NoError(t, <-at)
}

func TestAwaitHoldEndsByContext(t *testing.T) {
	r := testRoot(t, Config{Ranks: 1, Hold: true})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- r.AwaitHold(ctx, HoldInit) }()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestHoldPointsThatDoNotExist(t *testing.T) {
	r := testRoot(t, Config{Ranks: 1, Hold: true})
	for _, h := range []Hold{-1, holdCount} {
		require.Error(t, r.Reach(h))
		require.Error(t, r.AwaitHold(t.Context(), h))
		r.Release(h)
	}
}

// The supervisor of a node holds the ranks of its node alone; that others have ended is no loss.
func TestHoldOfOneNode(t *testing.T) {
	r := testRoot(t, Config{Ranks: 3, Hold: true, Nodes: []int{0, 1, 1}, Node: 1, BTL: BTLSM, CPUs: 1})
	r.MarkGone(0)
	done := make(chan error, 1)
	go func() { done <- r.Reach(HoldFinalize) }()
	go func() { _ = r.Reach(HoldFinalize) }()
	require.NoError(t, r.AwaitHold(t.Context(), HoldFinalize))
	r.Release(HoldFinalize)
	require.NoError(t, <-done)
	r.MarkGone(2)
	lostIn(t, r.AwaitHold(t.Context(), HoldInit), 2)
}
