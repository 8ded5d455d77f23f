// Hello prints one line per rank: who it is, and where it lives.
//
//	pvasrun -n 4 ./examples/hello
package main

import (
	"fmt"
	"os"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	mpi.Run(func(world *mpi.Comm) error {
		partition := "none"
		if base, _, ok := world.Partition(); ok {
			partition = fmt.Sprintf("%#x", base)
		}
		_, err := fmt.Printf("rank %d of %d, pid %d, partition %s\n",
			world.Rank(), world.Size(), os.Getpid(), partition)
		return err
	})
}
