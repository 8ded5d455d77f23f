package npb

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi"
)

// Goroutines find what the specification says, as ranks do.
func TestRunThreads(t *testing.T) {
	for _, name := range sharing() {
		for _, n := range testkit.Some(1, 4) {
			r, err := RunThreads(name, S, n)
			require.NoError(t, err)
			require.True(t, r.Verified, "%s by %d goroutines: %+v", name, n, r.Checks)
			require.Equal(t, []any{n, true}, []any{r.Ranks, r.Threads})
		}
	}
	require.Equal(t, []string{"cg", "ep", "is"}, sharing())
	for _, name := range []string{"mg", "bt"} {
		require.ErrorContains(t, CheckThreads(name, S, 2), "choose cg, ep, is")
	}
	_, err := RunThreads("is", S, 3)
	require.ErrorContains(t, err, "power of two")
}

// All meet at each barrier, whether they look or sleep, and see what all have shown.
func TestCrew(t *testing.T) {
	for _, looks := range []int{0, crewLooks} {
		const n = 5
		c := newCrew(n)
		c.looks = looks
		var wg sync.WaitGroup
		for rank := range n {
			wg.Go(func() {
				m := &member{crew: c, rank: rank}
				for round := range 1000 {
					want := make([]string, n)
					for i := range want {
						want[i] = fmt.Sprint(i, round)
					}
					assert.Equal(t, want, gather(m, fmt.Sprint(rank, round)))
					values := []int{rank, round}
					assert.NoError(t, allreduce(m, values, mpi.Sum[int]()))
					assert.Equal(t, []int{n * (n - 1) / 2, n * round}, values)
				}
			})
		}
		wg.Wait()
	}
}
