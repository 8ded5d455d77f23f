// Pi adds up an integral, every rank its share.
package main

import (
	"fmt"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	mpi.Run(func(world *mpi.Comm) error {
		const steps = 10_000_000
		sum := []float64{0}
		for i := world.Rank(); i < steps; i += world.Size() {
			x := (float64(i) + 0.5) / steps
			sum[0] += 4 / (1 + x*x) / steps
		}
		if err := mpi.Allreduce(world, nil, sum, mpi.Sum[float64]()); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Printf("%d ranks say that pi is %.9f\n", world.Size(), sum[0])
		}
		return nil
	})
}
