package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/mpi"
)

func init() {
	stops["column"], stops["tile"], stops["window"], stops["peek"] = column, tile, window, peek
}

// A column of a matrix travels as it lies, and arrives in one piece.
func column(world *mpi.Comm) error {
	const rows, columns = 3, 4
	if world.Size() < 2 || world.Rank() > 1 {
		return nil
	}
	if world.Rank() == 0 {
		matrix := make([]int, rows*columns)
		for i := range matrix {
			matrix[i] = i
		}
		return mpi.Vector(matrix[1:], rows, 1, columns).Send(world, 1, 0)
	}
	got, _, err := mpi.RecvAlloc[int](world, 0, 0)
	fmt.Println("column 1:", got)
	return err
}

// Every rank sends the inner part of its array to rank 0 and gets nothing.
func tile(world *mpi.Comm) error {
	n := world.Size()
	part := []byte("....ab..cd......")
	send, recv := make([]mpi.View[byte], n), make([]mpi.View[byte], n)
	send[0] = mpi.Subarray(part, []int{4, 4}, []int{2, 2}, []int{1, 0})
	all := make([]byte, 4*n)
	if world.Rank() == 0 {
		for rank := range n {
			recv[rank] = mpi.Whole(all[4*rank : 4*rank+4])
		}
	}
	if err := mpi.Alltoallw(world, send, recv); err != nil || world.Rank() > 0 {
		return err
	}
	fmt.Printf("%s\n", all)
	return nil
}

// A window is memory of each rank that all can address. The barrier orders who writes
// and who reads.
func window(world *mpi.Comm) error {
	win, err := mpi.WinAllocateShared[uint64](world, 512)
	if err != nil {
		return err
	}
	win.Local()[0] = uint64(world.Rank() * world.Rank())
	if err := world.Barrier(); err != nil {
		return err
	}
	sum := uint64(0)
	for rank := range world.Size() {
		memory, err := win.Segment(rank)
		if err != nil {
			return err
		}
		sum += memory[0]
	}
	fmt.Printf("rank %d read squares that add up to %d\n", world.Rank(), sum)
	table, err := mpi.WinAllocateContiguous[uint64](world, 1)
	if err != nil {
		return err
	}
	table.Local()[0] = sum
	if err := world.Barrier(); err != nil {
		return err
	}
	if sums := table.All(); slices.Min(sums) != slices.Max(sums) {
		return fmt.Errorf("the sums differ: %d", sums)
	}
	return errors.Join(win.Free(), table.Free())
}

// In one address space a window may be any slice that is there already.
func peek(world *mpi.Comm) error {
	greeting := fmt.Appendf(nil, "hello from the heap of rank %d", world.Rank())
	win, err := mpi.WinCreate(world, greeting)
	if errors.Is(err, mpi.ErrNotOneAddressSpace) {
		return nil // --btl sm: use WinAllocateShared
	}
	if err != nil {
		return err
	}
	theirs, err := win.Segment((world.Rank() + 1) % world.Size())
	if err != nil {
		return err
	}
	fmt.Printf("rank %d reads: %s\n", world.Rank(), theirs)
	return nil
}
