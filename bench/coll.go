package bench

import (
	"maps"
	"slices"
)

// Collectives are the names of the benchmarks of collective operations; a unit is one
// call. Bytes are those of the vector for bcast, reduce, allreduce and reduce_scatter,
// and those from one rank to another for allgather, alltoall and neighbor.
func Collectives() []string { return slices.Sorted(maps.Keys(collectives)) }

// collRepetitions are at most 1,000, and move no more than about 1 GiB in all.
func (c *TimedConfig) collRepetitions(n int) int {
	moved := n * c.Ranks
	if c.Benchmark == "alltoall" || c.Benchmark == "allgather" {
		moved *= c.Ranks
	}
	return max(10, min(1000, 1<<30/max(moved, 1)))
}
