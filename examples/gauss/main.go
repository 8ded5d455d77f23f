// Gauss factors a dense matrix into a lower and an upper triangle by Gaussian elimination
// without pivoting. The matrix is dealt out in small blocks over a grid of ranks, so that all
// have work to the end. Each step has a panel: a column and a row of blocks, which their
// owners compute and send along the grid, after which everybody updates the rest. With
// look-ahead the owners of the next panel compute and send it before they update the rest.
//
// The panels go by blocking sends. If they are longer than the eager limit, their senders
// wait for receivers that still compute, and the look-ahead is for nothing. A larger limit helps, or shorter messages:
//
//	pvasrun -n 4 ./examples/gauss -n 1024
//	pvasrun -n 4 --eager-limit 64K ./examples/gauss -n 1024
//	pvasrun -n 4 ./examples/gauss -n 1024 -fragment 4096
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	n := flag.Int("n", 512, "`rows` and columns of the matrix")
	width := flag.Int("block", 8, "`rows` and columns of a block")
	fragment := flag.Int("fragment", 1<<40, "`bytes` of the longest message; longer ones go in pieces")
	ahead := flag.Bool("ahead", true, "compute the next panel before the rest is updated")
	verify := flag.Bool("verify", true, "check the result")
	flag.Parse()
	mpi.Run(func(world *mpi.Comm) error {
		if *n < 1 || *width < 1 || *fragment < 8 {
			return errors.New("gauss: there must be a row at least, a row in a block, and 8 bytes in a fragment")
		}
		dims := []int{0, 0}
		if err := mpi.DimsCreate(world.Size(), dims); err != nil {
			return err
		}
		m := newMatrix(world, *n, *width, dims[0], dims[1])
		m.fragment = *fragment / 8
		if err := world.Barrier(); err != nil {
			return err
		}
		start := time.Now()
		if err := m.factor(*ahead); err != nil {
			return err
		}
		if err := world.Barrier(); err != nil {
			return err
		}
		took := time.Since(start)
		return report(m, took, *verify)
	})
}

// tolerance is how far rounding may carry the product of the triangles from the matrix.
const tolerance = 1e-12

func report(m *matrix, took time.Duration, verify bool) error {
	text := "not verified"
	if verify {
		off, err := m.residual()
		if err != nil {
			return err
		}
		if !(off < tolerance) {
			return fmt.Errorf("gauss: the product of the triangles is off by %g of the matrix", off)
		}
		text = "the triangles make the matrix"
	}
	if m.world.Rank() != 0 {
		return nil
	}
	rate := 2 * math.Pow(float64(m.n), 3) / 3 / took.Seconds() / 1e6
	_, err := fmt.Fprintf(os.Stdout, "gauss: n = %d, blocks of %d, %d x %d ranks: %s; %.3f ms, %.0f Mflop/s\n",
		m.n, m.width, m.rows.ranks, m.cols.ranks, text, took.Seconds()*1e3, rate)
	return err
}
