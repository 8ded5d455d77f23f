// Transpose turns a square matrix, whose rows are divided among the ranks, into its
// transpose, divided in the same way. Each rank has a block for each other one: all are
// exchanged by one Alltoallw, column by column as they leave and row by row as they
// arrive, so that the program moves no element itself. Every element tells its place, so
// every rank checks its part.
//
//	pvasrun -n 4 ./examples/transpose -n 1000
package main

import (
	"flag"
	"fmt"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	n := flag.Int("n", 1000, "`rows` and columns of the matrix, at least 0")
	flag.Parse()
	mpi.Run(func(world *mpi.Comm) error { return run(world, max(*n, 0)) })
}

func run(world *mpi.Comm, n int) error {
	top, bottom := world.Block(n, world.Rank())
	rows := bottom - top
	matrix, transposed := make([]float64, rows*n), make([]float64, rows*n)
	place := func(i, j int) float64 { return float64(i*n + j) }
	for i := range rows {
		for j := range n {
			matrix[i*n+j] = place(top+i, j)
		}
	}

	// What rank r gets of this rank's rows are the columns that are rows there.
	var send, recv []mpi.View[float64]
	for r := range world.Size() {
		left, right := world.Block(n, r)
		columns := right - left
		block := matrix[min(left, len(matrix)):]
		send = append(send, mpi.Strided(block, []int{columns, rows}, []int{1, n}))
		recv = append(recv, mpi.Subarray(transposed, []int{rows, n}, []int{rows, columns}, []int{0, left}))
	}
	if err := world.Barrier(); err != nil {
		return err
	}
	start := time.Now()
	if err := mpi.Alltoallw(world, send, recv); err != nil {
		return err
	}
	took := time.Since(start)

	for i := range rows {
		for j := range n {
			if have, want := transposed[i*n+j], place(j, top+i); have != want {
				return fmt.Errorf("row %d, column %d of the transpose is %v, not %v", top+i, j, have, want)
			}
		}
	}
	if err := world.Barrier(); err != nil { // all have found theirs in order
		return err
	}
	if world.Rank() != 0 {
		return nil
	}
	_, err := fmt.Printf("transposed a %d x %d matrix on %d ranks in %v: every element is in its place\n",
		n, n, world.Size(), took.Round(time.Microsecond))
	return err
}
