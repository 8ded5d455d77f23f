// Cg solves A x = 1 by conjugate gradients: A has 4 in the diagonal, and -1 beside it and a row of the grid away.
//
//	pvasrun -n 4 ./examples/gallery/cg -rows 200
package main

import (
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/examples/gallery/internal/args"
	"github.com/gopvas/gopvas/mpi"
)

func main() {
	rows := args.Number("rows", 200, 20_000, "`number` of rows, and of points in each; at least one for each rank")
	args.Parse("")
	mpi.Run(func(world *mpi.Comm) error {
		ranks, me, n := world.Size(), world.Rank(), max(*rows, world.Size())
		column, err := mpi.CartCreate(world, []int{ranks}, []bool{false})
		if err != nil {
			return err
		}
		first, end := world.Block(n, me)
		own := n * (end - first)
		halo, x, q := make([]float64, n+own+n), make([]float64, own), make([]float64, own)
		p, r := halo[n:n+own], slices.Repeat([]float64{1}, own)
		edges := []mpi.View[float64]{mpi.Whole(p[:n]), mpi.Whole(p[own-n:])}
		beyond := []mpi.View[float64]{mpi.Whole(halo[:n]), mpi.Whole(halo[n+own:])}
		dot := func(a, b []float64) (sum float64) { // the first error stays in err
			for i := range a {
				sum += a[i] * b[i]
			}
			if err == nil {
				sum, err = mpi.AllreduceOne(world, sum, mpi.Sum[float64]())
			}
			return sum
		}
		copy(p, r)
		steps, rr := 0, dot(r, r)
		for ; err == nil && rr > 1e-20; steps++ {
			err = mpi.NeighborAlltoallw(column.Comm, edges, beyond)
			for i, j := 0, n; i < own; i, j = i+1, j+1 {
				q[i] = 4*halo[j] - halo[j-1] - halo[j+1] - halo[j-n] - halo[j+n]
			}
			alpha, old := rr/dot(p, q), rr
			for i := range x {
				x[i] += alpha * p[i]
				r[i] -= alpha * q[i]
			}
			rr = dot(r, r)
			for i := range p {
				p[i] = r[i] + rr/old*p[i]
			}
		}
		if err == nil && me == 0 {
			fmt.Printf("%d steps, and the first of %d numbers is %.9f\n", steps, n*n, x[0])
		}
		return err
	})
}
