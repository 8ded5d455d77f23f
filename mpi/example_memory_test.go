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
		return win.Free()
	})
	// In one address space alone. It prints, for example: rank 0 reads: hello from the heap of rank 1
}

// One-sided operations: each rank puts its number to the next one, and gets what the one before it has. Then all add to
// a sum of rank 0 at once, and each draws a ticket.
func ExampleWindow() {
	ranks(4, func(world *mpi.Comm) error {
		me, next := world.Rank(), (world.Rank()+1)%world.Size()
		win, err := mpi.WinAllocateShared[int64](world, 4)
		if err != nil {
			return err
		}
		if err := win.Fence(); err != nil {
			return err
		}
		if err := win.Put([]int64{int64(me)}, next, 0); err != nil {
			return err
		}
		if err := win.Fence(); err != nil {
			return err
		}
		var theirs [1]int64
		if err := win.Get(theirs[:], next, 0); err != nil {
			return err
		}
		if theirs[0] != int64(me) {
			return fmt.Errorf("rank %d has %d", next, theirs[0])
		}
		if err := win.Fence(); err != nil {
			return err
		}
		if err := win.LockAll(); err != nil {
			return err
		}
		if err := win.Accumulate(mpi.Sum[int64](), []int64{int64(me), 1}, 0, 1); err != nil {
			return err
		}
		ticket, err := win.FetchAndOp(mpi.Sum[int64](), 1, 0, 3)
		if err != nil {
			return err
		}
		if err := errors.Join(win.Flush(0), win.UnlockAll(), world.Barrier()); err != nil {
			return err
		}
		if me == 0 {
			fmt.Println("sum and number of ranks:", win.Local()[1:3], "a ticket:", ticket < 4)
		}
		return win.Free()
	})
	// Output: sum and number of ranks: [6 4] a ticket: true
}

// A lock makes several operations one. A swap and a comparison that swaps need none: they are atomic.
func ExampleWindow_Lock() {
	ranks(4, func(world *mpi.Comm) error {
		win, err := mpi.WinAllocateShared[int64](world, 3)
		if err != nil {
			return err
		}
		var pair [2]int64
		if err := win.Lock(0); err != nil { // alone
			return err
		}
		err = errors.Join(win.Get(pair[:], 0, 0), win.Put([]int64{pair[0] + 1, pair[1] + 10}, 0, 0), win.Unlock(0))
		if err != nil {
			return err
		}
		if err := win.RLock(0); err != nil { // beside others that do the same
			return err
		}
		if _, err := win.CompareAndSwap(0, 1, 0, 2); err != nil {
			return err
		}
		if _, err := win.Swap(7, 0, 2); err != nil {
			return err
		}
		if err := errors.Join(win.Unlock(0), world.Barrier()); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println(win.Local())
		}
		return win.Free()
	})
	// Output: [4 40 7]
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

// A rank keeps a state in two halves. The version says which one is whole, while the other one is written. With
// pvasrun --survive ranks that live read it by KeptOf when the rank has failed.
func ExampleKeep() {
	ranks(2, func(world *mpi.Comm) error {
		const n = 1000
		state, err := mpi.Keep[int](world, "state", 2*n)
		if err != nil {
			return err
		}
		for version := range 10 {
			now := state.Elements()[version%2*n:][:n]
			next := state.Elements()[(version+1)%2*n:][:n]
			for i := range next {
				next[i] = now[i] + i
			}
			state.SetVersion(version + 1)
		}
		for rank := range world.Size() {
			left, version, err := mpi.KeptOf[int](world, rank, "state")
			if err != nil {
				continue // it has not failed
			}
			fmt.Println("go on with", left[version%2*n:][:n])
		}
		if world.Rank() == 0 {
			fmt.Println("version", state.Version())
		}
		return state.Free()
	})
	// Output: version 10
}
