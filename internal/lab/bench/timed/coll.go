package timed

import (
	"maps"
	"slices"
	"strings"
)

// Collectives are the names of the benchmarks of collective operations; a unit is one
// call. Bytes are those of the vector for bcast, reduce, allreduce and reduce_scatter,
// and those from one rank to another for gather, scatter, allgather, alltoall and neighbor. Those that
// begin with an i do not block, and are waited for at once (IMB-NBC's "pure").
//
// Several goroutines of a rank can make the calls, each on a communicator of its own, as the
// threads of IMB-MT do. The time of a unit is then that of all calls of a rank, divided by
// their number.
//
// With Config.Late one rank is late in each call. The time of a unit is then still that of a call, with what ranks
// compute: of which a rank has its share, and no more if nobody waits who need not.
func Collectives() []string { return slices.Sorted(maps.Keys(collectives)) }

// collRepetitions are at most 1,000, and move no more than about 1 GiB in all.
func (c *Config) collRepetitions(n int) int {
	moved := n * c.Ranks * max(c.Goroutines, 1)
	if b := strings.TrimPrefix(c.Benchmark, "i"); b == "alltoall" || b == "allgather" {
		moved *= c.Ranks
	}
	return max(10, min(1000, 1<<30/max(moved, 1)))
}
