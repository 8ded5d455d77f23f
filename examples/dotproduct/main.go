// Dotproduct multiplies two vectors. Rank 0 has them, gives every rank its part, and
// all get the sum of what each has multiplied. It compares with the product that rank 0
// makes alone: the numbers are whole, so both are exact.
//
//	pvasrun -n 4 ./examples/dotproduct -n 1000000
package main

import (
	"flag"
	"fmt"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	n := flag.Int("n", 1_000_000, "`elements` of each vector, at least 0")
	flag.Parse()
	mpi.Run(func(world *mpi.Comm) error { return run(world, max(*n, 0)) })
}

func run(world *mpi.Comm, n int) error {
	var x, y []float64
	if world.Rank() == 0 {
		x, y = make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], y[i] = float64(i%1000), float64(i%7-3)
		}
	}
	counts := make([]int, world.Size()) // elements of each rank, as even as possible
	for rank := range counts {
		first, end := world.Block(n, rank)
		counts[rank] = end - first
	}
	mine := counts[world.Rank()]
	partX, partY := make([]float64, mine), make([]float64, mine)
	if err := mpi.Scatterv(world, x, counts, nil, partX, 0); err != nil {
		return err
	}
	if err := mpi.Scatterv(world, y, counts, nil, partY, 0); err != nil {
		return err
	}
	sum := []float64{dot(partX, partY)}
	if err := mpi.Allreduce(world, nil, sum, mpi.Sum[float64]()); err != nil {
		return err
	}
	if world.Rank() != 0 {
		return nil
	}
	if want := dot(x, y); sum[0] != want {
		return fmt.Errorf("the ranks have found %v, one alone finds %v", sum[0], want)
	}
	_, err := fmt.Printf("dot product of %d elements on %d ranks: %v, as by one alone\n", n, world.Size(), sum[0])
	return err
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}
