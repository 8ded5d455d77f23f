// Nbody moves bodies of mass 1 that attract one another in the plane. Each rank has some of them. Copies go around the
// ring of ranks: while a rank computes what some do to its own, they are on their way to the next one.
//
//	pvasrun -n 4 ./examples/gallery/nbody -n 1000 -steps 10
package main

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"

	"github.com/gopvas/gopvas/examples/gallery/internal/args"
	"github.com/gopvas/gopvas/mpi"
)

const dt, softening = 1e-4, 0.01

func main() {
	n, steps := args.Number("n", 1000, 1e7, "`number` of bodies"), args.Number("steps", 10, 1e9, "`number` of steps")
	args.Parse("")
	mpi.Run(func(world *mpi.Comm) error {
		ranks, me, random := world.Size(), world.Rank(), rand.New(rand.NewPCG(1, 2))
		bodies := make([]complex128, *n)
		for i := range bodies {
			bodies[i] = complex(random.Float64(), random.Float64())
		}
		first, end := world.Block(len(bodies), me)
		x, v := bodies[first:end], make([]complex128, end-first)
		for range *steps {
			here := slices.Clone(x)
			for range ranks {
				next, got := make([]complex128, len(bodies)), (*mpi.Status)(nil)
				if err := mpi.WaitBatch(func(b *mpi.Batch) error {
					b.Add(mpi.Isend(world, here, (me+1)%ranks, 0))
					got = b.Add(mpi.Irecv(world, next, (me+ranks-1)%ranks, 0))
					for i := range x {
						for _, y := range here {
							v[i] += (y - x[i]) * complex(dt/math.Pow(cmplx.Abs(y-x[i])+softening, 3), 0)
						}
					}
					return nil
				}); err != nil {
					return err
				}
				here = next[:got.Count]
			}
			for i := range x {
				x[i] += v[i] * dt
			}
		}
		all, err := mpi.GatherFlat(world, x, 0)
		if err == nil && me == 0 {
			fmt.Printf("%.9f\n", all)
		}
		return err
	})
}
