//go:build !race

package mpi_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/mpi"
)

// Each rank has every fourth number of a file. The ranks write together, without telling one another their data.
func ExampleWriteFileAll() {
	name := filepath.Join(os.TempDir(), fmt.Sprintf("gopvas-example-%d", os.Getppid()))
	ranks(4, func(world *mpi.Comm) error {
		f, err := mpi.OpenFile(world, name, mpi.FileCreate|mpi.FileReadWrite|mpi.FileDeleteOnClose, nil)
		if err != nil {
			return err
		}
		fourth, err := datatype.Resized(datatype.Int64, 0, 4*8)
		if err != nil {
			return err
		}
		if err := f.SetView(int64(8*world.Rank()), datatype.Int64, fourth); err != nil {
			return err
		}
		r := int64(world.Rank())
		if _, err := mpi.WriteFileAll(f, mpi.FileOffset(0), []int64{r, 4 + r, 8 + r}); err != nil {
			return err
		}
		if err := f.SetView(0, datatype.Int64, datatype.Int64); err != nil {
			return err
		}
		all := make([]int64, 20) // more than there are
		n, err := mpi.ReadFile(f, mpi.FileOffset(0), all)
		if err != nil {
			return err
		}
		fmt.Printf("rank %d reads %d\n", world.Rank(), all[:n])
		return f.Close()
	})
	// Unordered output:
	// rank 0 reads [0 1 2 3 4 5 6 7 8 9 10 11]
	// rank 1 reads [0 1 2 3 4 5 6 7 8 9 10 11]
	// rank 2 reads [0 1 2 3 4 5 6 7 8 9 10 11]
	// rank 3 reads [0 1 2 3 4 5 6 7 8 9 10 11]
}
