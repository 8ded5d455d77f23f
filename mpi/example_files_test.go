//go:build !race

package mpi_test

import (
	"errors"
	"fmt"
	"io"
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

// A file is a file of Go for each rank, with its own pointer. Views write every second element of a slice.
func ExampleFile() {
	name := filepath.Join(os.TempDir(), fmt.Sprintf("gopvas-example-file-%d", os.Getppid()))
	ranks(4, func(world *mpi.Comm) error {
		hints := map[string]string{"cb_buffer_size": "65536"}
		f, err := mpi.OpenFile(world, name, mpi.FileCreate|mpi.FileReadWrite, hints)
		if err != nil {
			return err
		}
		if _, err := f.WriteAt([]byte{'0' + byte(world.Rank())}, int64(world.Rank())); err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), world.Barrier()); err != nil {
			return err
		}
		digits := make([]byte, 2)
		if _, err := f.Read(digits); err != nil {
			return err
		}
		last, err := f.Seek(-1, io.SeekEnd)
		if err == nil {
			_, err = f.ReadAt(digits[:1], last)
		}
		if err == nil {
			_, err = f.Write(digits[:1])
		}
		if err := errors.Join(err, f.SetAtomic(true), f.SetSize(32)); err != nil {
			return err
		}
		size, err := f.Size()
		if err != nil {
			return err
		}
		fmt.Printf("rank %d: %s, %d bytes, windows of %s\n", world.Rank(), digits, size, f.Hints()["cb_buffer_size"])
		if err := halves(f, world); err != nil {
			return err
		}
		if err := f.Close(); err != nil || world.Rank() != 0 {
			return err
		}
		return mpi.DeleteFile(name)
	})
	// Unordered output:
	// rank 0: 31, 32 bytes, windows of 65536
	// rank 1: 31, 32 bytes, windows of 65536
	// rank 2: 31, 32 bytes, windows of 65536
	// rank 3: 31, 32 bytes, windows of 65536
}

// halves has each rank write two numbers by views, alone and together, and reads them.
func halves(f *mpi.File, world *mpi.Comm) error {
	if err := f.SetView(int64(16*world.Rank()), datatype.Int64, datatype.Int64); err != nil {
		return err
	}
	every := mpi.Vector([]int64{1, 0, 2}, 2, 1, 2)
	numbers := make([]int64, 2)
	_, err := every.WriteFile(f, mpi.FileOffset(0))
	_, err2 := every.WriteFileAll(f, mpi.FileOffset(0))
	_, err3 := every.ReadFile(f, mpi.FileOffset(0))
	_, err4 := every.ReadFileAll(f, mpi.FileOffset(0))
	_, err5 := mpi.WriteFile(f, mpi.FileOffset(1), []int64{2})
	_, err6 := mpi.ReadFileAll(f, mpi.FileOffset(0), numbers)
	if numbers[0] != 1 || numbers[1] != 2 {
		return fmt.Errorf("the numbers are %d", numbers)
	}
	return errors.Join(err, err2, err3, err4, err5, err6)
}
