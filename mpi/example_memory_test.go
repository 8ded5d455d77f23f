//go:build !race

package mpi_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/debug"
)

// A window is memory of each rank that all can address. The barrier orders who writes
// and who reads.
func ExampleWinAllocateShared() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Unordered output:
	// rank 0 read squares that add up to 14
	// rank 1 read squares that add up to 14
	// rank 2 read squares that add up to 14
	// rank 3 read squares that add up to 14
}

// In one address space a window may be any slice that is there already.
func ExampleWinCreate() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// In one address space alone. It prints, for example: rank 0 reads: hello from the heap of rank 1
}

// What ranks know of themselves, and what they have done, added up by rank 0.
func ExampleExecutable() {
	ranks(4, func(world *mpi.Comm) error {
		path, err := mpi.Executable()
		if err != nil {
			return err
		}
		me := world.Rank()
		if _, err := mpi.Sendrecv(world, []int{1}, me, 0, make([]int, 1), me, 0); err != nil {
			return err
		}
		request, err := mpi.Ibcast(world, make([]int, 1), 0)
		if err != nil {
			return err
		}
		if _, err := request.Wait(); err != nil {
			return err
		}
		if err := world.Barrier(); err != nil { // from now on no rank works for another
			return err
		}
		type counters struct {
			messages debug.Statistics
			graphs   debug.GraphStatistics
		}
		mine, all := []counters{{debug.Messages(), debug.Graphs()}}, make([]counters, world.Size())
		if err := mpi.Gather(world, mine, all, 0); err != nil || me > 0 {
			return err
		}
		sum := all[0]
		for _, c := range all[1:] {
			sum.messages.Self.Messages += c.messages.Self.Messages
			sum.graphs.Nodes += c.graphs.Nodes
		}
		fmt.Printf("the program has a path: %v; %d messages to oneself, %d steps in the background\n",
			filepath.IsAbs(path), sum.messages.Self.Messages, sum.graphs.Nodes)
		if world.Algorithm() == "" {
			return fmt.Errorf("nobody knows how it was gathered")
		}
		for i, d := range debug.Devices() { // none in a job of one node
			fmt.Printf("network device %d: %d bytes sent; pieces of long messages: %d\n",
				i, d.Sent, len(debug.Flights()))
		}
		return nil
	})
	// Output: the program has a path: true; 4 messages to oneself, 3 steps in the background
}
