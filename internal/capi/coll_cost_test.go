package capi

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// prepared returns a function that makes a call of the ABI as C makes it, through the dispatcher.
func (c *program) prepared(name string, args ...any) (call func()) {
	for op := range calls {
		if calls[op].name == name {
			words := make([]uintptr, len(args)+1)
			for i, arg := range args {
				words[i] = c.slot(arg)
			}
			at := slots(address(c, words))
			return func() {
				if result, _ := c.p.call(op, at); result != SUCCESS {
					c.Error(name, " returns ", result)
				}
			}
		}
	}
	c.Fatal("the ABI has no function ", name)
	return nil
}

// TestCollectivesAllocateNothing: neither the face nor what is below allocates for a call that
// was made before with the same arguments.
func TestCollectivesAllocateNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	const ranks, runs = 2, 200
	onRanks(t, ranks, func(c *rank) {
		a, b := make([]int64, 64*ranks), make([]int64, 64*ranks)
		counts, displs := []int32{1, 2}, []int32{3, 0}
		for _, call := range []struct {
			name string
			f    func()
		}{
			{"barrier", c.prepared("MPI_Barrier", COMM_WORLD)},
			{"bcast", c.prepared("MPI_Bcast", a, 2, LONG, 1, COMM_WORLD)},
			{"reduce", c.prepared("MPI_Reduce", a, b, 2, LONG, MAX, 1, COMM_WORLD)},
			{"allreduce", c.prepared("MPI_Allreduce", a, b, 1, LONG, SUM, COMM_WORLD)},
			{"allreduce in place", c.prepared("MPI_Allreduce", IN_PLACE, b, 3, DOUBLE, MIN, COMM_WORLD)},
			{"scan", c.prepared("MPI_Scan", a, b, 1, LONG, SUM, COMM_WORLD)},
			{"reduce_scatter_block", c.prepared("MPI_Reduce_scatter_block", a, b, 1, LONG, SUM, COMM_WORLD)},
			{"gather", c.prepared("MPI_Gather", a, 1, LONG, b, 1, LONG, 0, COMM_WORLD)},
			{"scatter", c.prepared("MPI_Scatter", a, 1, LONG, b, 1, LONG, 0, COMM_WORLD)},
			{"allgather", c.prepared("MPI_Allgather", a, 1, LONG, b, 1, LONG, COMM_WORLD)},
			{"alltoall", c.prepared("MPI_Alltoall", a, 1, LONG, b, 1, LONG, COMM_WORLD)},
			{"alltoallv", c.prepared("MPI_Alltoallv", a, counts, displs, INT, b, []int32{counts[c.me], counts[c.me]},
				displs, INT, COMM_WORLD)},
			{"reduce_scatter", c.prepared("MPI_Reduce_scatter", a, b, counts, LONG, SUM, COMM_WORLD)},
			{"allgatherv", c.prepared("MPI_Allgatherv", a, int(counts[c.me]), LONG, b, counts,
				displs, LONG, COMM_WORLD)},
		} {
			call.f()
			n := allocations(func() {
				for range runs {
					call.f()
				}
			})
			// less than one a call: the other rank may still be in the call before
			require.Less(c, n, uint64(runs), call.name)
		}
	})
}

// allocations is how often f, and what runs meanwhile, allocates.
func allocations(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}
