// Frame is a rank without mpi.Run, for programs that decide themselves what an error leads
// to.
//
//	pvasrun -n 4 ./examples/frame
//	pvasrun -n 4 ./examples/frame fail
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	world, err := mpi.Init()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := work(world); err != nil {
		fmt.Fprintln(os.Stderr, err)
		world.Abort(3) // ends all ranks; Abort does not return
	}
	if err := world.Finalize(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// The process goes on, and is no rank any more.
	fmt.Printf("rank %d is through\n", world.Rank())
}

func work(world *mpi.Comm) error {
	if slices.Contains(os.Args, "fail") && world.Rank() == 0 {
		return errors.New("rank 0 gives up")
	}
	return world.Barrier()
}
