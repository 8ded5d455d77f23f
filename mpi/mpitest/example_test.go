package mpitest_test

import (
	"testing"

	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/mpitest"
)

// The test of a function that ranks call together. TestMain of the package calls mpitest.Main.
func ExampleRun() {
	_ = func(t *testing.T) { // func TestMean(t *testing.T)
		mpitest.Run(t, 4, func(t *testing.T, world *mpi.Comm) {
			sum, err := mpi.AllreduceOne(world, float64(world.Rank()), mpi.Sum[float64]())
			if mean := sum / float64(world.Size()); err != nil || mean != 1.5 {
				t.Errorf("mean %v, %v", mean, err)
			}
		})
	}
}
