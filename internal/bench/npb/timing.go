package npb

import (
	"time"

	"github.com/gopvas/gopvas/mpi"
)

// timed runs f on all ranks at once and returns the seconds of the slowest.
func timed(world *mpi.Comm, f func() error) (float64, error) {
	if err := world.Barrier(); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := f(); err != nil {
		return 0, err
	}
	longest := []float64{time.Since(start).Seconds()}
	err := mpi.Allreduce(world, nil, longest, mpi.Max[float64]())
	return longest[0], err
}
