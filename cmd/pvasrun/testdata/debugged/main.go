// Debugged is a job whose ranks wait until the input of rank 0 ends.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/gopvas/gopvas/mpi"
)

var answer = 42

func main() {
	mpi.Run(func(world *mpi.Comm) error {
		answer += world.Rank()
		fmt.Printf("rank %d is ready\n", world.Rank())
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			return err
		}
		return world.Barrier()
	})
}
