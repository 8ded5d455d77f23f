package pml

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

func poolEngine(t *testing.T) *Engine {
	t.Helper()
	root := jobtest.Create(t, job.Config{Ranks: 1, BTL: job.BTLSM, CPUs: 1}).Root()
	return New(root, 0, mem.New(root, mem.Options{}).Module(0))
}

// used has a number of requests at a time, and ends them.
func used(t *testing.T, e *Engine, n int) {
	t.Helper()
	all := make([]Request, n)
	for i := range all {
		var err error
		all[i], err = e.Irecv(1, 0, 0, nil)
		require.NoError(t, err)
	}
	for i := range all {
		require.NoError(t, all[i].Cancel())
		_, err := all[i].Wait()
		require.NoError(t, err)
	}
}

// TestPoolShrinks: a look costs as much as there is, soon after a program had many requests. What it has in
// use all the time stays in the pool.
func TestPoolShrinks(t *testing.T) {
	const many, few = 100_000, 1000
	e := poolEngine(t)
	used(t, e, many)
	kept, err := e.Irecv(2, 0, 0, nil)
	require.NoError(t, err)
	kept.SetOwner(7, new(any))
	for range mostRests + 1 {
		used(t, e, few)
		require.True(t, e.Inside().Idle(1, 3))
		require.False(t, e.Inside().Idle(1, 2))
	}
	require.LessOrEqual(t, len(e.p.pool.all), few+1)
	grown := len(e.p.pool.vacancies)
	for range 3 * mostRests {
		used(t, e, few)
		require.True(t, e.Inside().Idle(1))
	}
	require.Len(t, e.p.pool.vacancies, grown, "none of those in use was taken out and made again")
	r, owner := e.Table().At(kept.Place(), 7)
	require.NotNil(t, owner)
	require.Equal(t, kept, r)
	require.NoError(t, kept.Cancel())
	_, err = kept.Wait()
	require.NoError(t, err)
	require.True(t, e.Inside().Idle(2))
}

// TestPlacesAreUsedAgain: a random program in which the pool grows and shrinks. A handle finds its request as long
// as that stands for something, and never another one; no two requests have the same place and generation.
func TestPlacesAreUsedAgain(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	e := poolEngine(t)
	type identity struct {
		place      int
		generation uint32
	}
	ever := map[identity]bool{}
	live, stale := map[uintptr]Request{}, map[uintptr]int{}
	next, shrunk := uintptr(1), false
	for range 40 {
		for range rng.IntN(400) {
			r, err := e.Irecv(1, 0, 0, nil)
			require.NoError(t, err)
			id := identity{r.Place(), r.Generation()}
			require.False(t, ever[id], "%v", id)
			ever[id] = true
			r.SetOwner(next, new(any))
			live[next] = r
			next++
		}
		for handle, r := range live {
			if rng.IntN(3) == 0 {
				continue
			}
			stale[handle] = r.Place()
			delete(live, handle)
			require.NoError(t, r.Cancel())
			_, err := r.Wait()
			require.NoError(t, err)
		}
		before := len(e.p.pool.all)
		for range rng.IntN(2 * mostRests) {
			require.Equal(t, len(live) == 0, e.Inside().Idle(1))
		}
		shrunk = shrunk || len(e.p.pool.all) < before
		for handle, r := range live {
			found, owner := e.Table().At(r.Place(), handle)
			require.NotNil(t, owner)
			require.Equal(t, r, found)
		}
		for handle, place := range stale {
			require.Nil(t, e.Table().Owner(place, handle))
			require.Nil(t, e.Table().Message(place, handle))
		}
		require.Len(t, e.p.pool.all, int(e.operationsMade())-len(e.p.pool.vacancies))
	}
	require.True(t, shrunk)
}

// operationsMade counts the places that were ever filled.
func (e *Engine) operationsMade() (n int) {
	for i := range *e.p.pool.table.Load() {
		if op := (*e.p.pool.table.Load())[i].Load(); op != vacant {
			n++
		}
	}
	return n + len(e.p.pool.vacancies)
}
