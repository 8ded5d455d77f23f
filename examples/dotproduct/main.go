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
	partX, err := mpi.ScatterFlat(world, x, 0)
	if err != nil {
		return err
	}
	partY, err := mpi.ScatterFlat(world, y, 0)
	if err != nil {
		return err
	}
	sum, err := mpi.AllreduceOne(world, dot(partX, partY), mpi.Sum[float64]())
	if err != nil || world.Rank() != 0 {
		return err
	}
	if want := dot(x, y); sum != want {
		return fmt.Errorf("the ranks have found %v, one alone finds %v", sum, want)
	}
	_, err = fmt.Printf("dot product of %d elements on %d ranks: %v, as by one alone\n", n, world.Size(), sum)
	return err
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}
