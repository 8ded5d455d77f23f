package timed

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a job needs is told before, also for lengths that no machine has.
func TestMemoryOfJobs(t *testing.T) {
	for benchmark, want := range map[string]float64{
		"pingpong": 2 * 2 * 1e6, "allreduce": 4 * 2 * 2 * 1e6, "barrier": 0, "halo": 2 * 1e6,
	} {
		c := Config{Benchmark: benchmark, Ranks: 2, Sizes: []int{8, 1e6}}
		require.Equal(t, want, c.Memory(), benchmark)
	}
	c := Config{Benchmark: "alltoall", Ranks: 1 << 16, Goroutines: 1 << 10, Sizes: []int{1 << 62}}
	require.Greater(t, c.Memory(), 1e20)
}
