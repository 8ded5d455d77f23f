package npb

import (
	"time"

	"github.com/gopvas/gopvas/internal/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// timed runs f on all ranks at once and returns the seconds of the slowest.
func timed(world *mpi.Comm, f func()) float64 {
	rankside.Check(world.Barrier())
	start := time.Now()
	f()
	longest := []float64{time.Since(start).Seconds()}
	rankside.Check(mpi.Allreduce(world, nil, longest, mpi.Max[float64]()))
	return longest[0]
}
