// Counter finds the number with the longest Collatz sequence. A window has a counter, at rank 0: each rank adds to it
// to get the next numbers that nobody has tried. Rank 0 need not answer.
//
//	pvasrun -n 4 ./examples/gallery/counter -below 1000000
package main

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/examples/gallery/internal/args"
	"github.com/gopvas/gopvas/mpi"
)

const block = 1000

func main() {
	below := args.Number("below", 1_000_000, 1e9, "the `number` below which all are tried")
	args.Parse("")
	mpi.Run(func(world *mpi.Comm) error {
		counter, err := mpi.WinAllocateShared[int](world, 1) // a zero at each rank
		if err != nil {
			return err
		}
		if err := counter.LockAll(); err != nil {
			return err
		}
		var best mpi.Loc[int]
		for first := 0; first < *below; {
			if first, err = counter.FetchAndOp(mpi.Sum[int](), block, 0, 0); err != nil {
				return err
			}
			for n := max(first, 1); n < min(first+block, *below); n++ {
				if steps := collatz(n); steps > best.Value {
					best = mpi.Loc[int]{Value: steps, Index: n}
				}
			}
		}
		if err := errors.Join(counter.UnlockAll(), counter.Free()); err != nil {
			return err
		}
		best, err = mpi.ReduceOne(world, best, mpi.MaxLoc[int](), 0)
		if err == nil && world.Rank() == 0 {
			fmt.Printf("%d takes %d steps\n", best.Index, best.Value)
		}
		return err
	})
}

// collatz counts the steps to 1.
func collatz(n int) (steps int) {
	for ; n > 1; steps++ {
		if n%2 == 1 {
			n = 3*n + 1
		} else {
			n /= 2
		}
	}
	return steps
}
