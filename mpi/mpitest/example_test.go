package mpitest_test

import (
	"testing"

	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/mpitest"
)

// A worker may be late: does rank 0 cope with any order?
func ExampleRunDelayed() {
	_ = func(t *testing.T) { // func TestAnyOrder(t *testing.T)
		mpitest.RunDelayed(t, 4, 20, func(t *testing.T, world *mpi.Comm) {
			if world.Rank() > 0 {
				if err := mpi.SendOne(world, world.Rank(), 0, 1); err != nil {
					t.Error(err)
				}
				return
			}
			sum := 0
			for range world.Size() - 1 {
				n, _, err := mpi.RecvOne[int](world, mpi.AnySource, 1)
				if err != nil {
					t.Fatal(err)
				}
				sum += n
			}
			if sum != 6 {
				t.Error(sum)
			}
		})
	}
}

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
