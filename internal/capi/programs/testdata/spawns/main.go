// The ranks start others, of the same program, and add up all numbers in a communicator of all.
package main

import (
	"fmt"
	"os"

	"github.com/gopvas/gopvas/mpi"
)

func main() { mpi.Run(work) }

func work(world *mpi.Comm) error {
	all, err := world.Parents()
	if err != nil {
		return err
	}
	if all == nil {
		program, err := mpi.Executable()
		if err != nil {
			return err
		}
		last := world.Size() - 1
		if all, err = world.Spawn(last, mpi.Command{Program: program, Args: []string{"child"}, N: 2, Dir: "/"},
			mpi.Command{Program: program, Args: []string{"child"}, N: 1, Dir: "/"}); err != nil {
			return err
		}
	} else if dir, _ := os.Getwd(); dir != "/" || world.Size() != 3 || all.Rank() != all.Size()-3+world.Rank() {
		return fmt.Errorf("rank %d of %d, %d of all, in %s", world.Rank(), world.Size(), all.Rank(), dir)
	}
	sum := make([]int, 100_000)
	for i := range sum {
		sum[i] = all.Rank() + i
	}
	if err := mpi.Allreduce(all, nil, sum, mpi.Sum[int]()); err != nil {
		return err
	}
	n := all.Size()
	if sum[7] != 7*n+n*(n-1)/2 {
		return fmt.Errorf("the sum is %d", sum[7])
	}
	if world.Rank() == 0 {
		fmt.Printf("%d of %d: %d\n", world.Size(), n, sum[0])
	}
	return all.Free()
}
