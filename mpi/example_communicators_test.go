//go:build !race

package mpi_test

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/mpi"
)

// Ranks of one color are a communicator, in the order of the key.
func ExampleComm_Split() {
	ranks(4, func(world *mpi.Comm) error {
		row, err := world.Split(world.Rank()/2, world.Rank())
		if err != nil {
			return err
		}
		fmt.Printf("world rank %d is rank %d of %d in row %d\n", world.Rank(), row.Rank(), row.Size(), world.Rank()/2)
		return row.Free()
	})
	// Unordered output:
	// world rank 0 is rank 0 of 2 in row 0
	// world rank 1 is rank 1 of 2 in row 0
	// world rank 2 is rank 0 of 2 in row 1
	// world rank 3 is rank 1 of 2 in row 1
}

// A library talks on a copy: its messages meet no receive of the program. An
// attribute keeps it with the communicator that it was made for.
func ExampleComm_Dup() {
	ranks(4, func(world *mpi.Comm) error {
		copies := mpi.NewAttribute[*mpi.Comm](nil, nil)
		private, err := world.Dup()
		if err != nil {
			return err
		}
		private.SetName("library")
		if err := copies.Set(world, private); err != nil {
			return err
		}
		found, ok := copies.Get(world)
		if world.Rank() == 0 {
			fmt.Println(found.Name(), ok)
		}
		copies.Delete(world)
		return private.Free()
	})
	// Output: library true
}

// Only the members of a group make a communicator of it; the others go on.
func ExampleComm_CreateGroup() {
	ranks(4, func(world *mpi.Comm) error {
		var odd []int
		for rank := 1; rank < world.Size(); rank += 2 {
			odd = append(odd, rank)
		}
		members, err := world.Group().Incl(odd...)
		if err != nil || members.Rank() == mpi.Undefined {
			return err
		}
		c, err := world.CreateGroup(members, 0)
		if err != nil {
			return err
		}
		fmt.Printf("world rank %d is rank %d of %d odd ones\n", world.Rank(), c.Rank(), c.Size())
		return c.Free()
	})
	// Unordered output:
	// world rank 1 is rank 0 of 2 odd ones
	// world rank 3 is rank 1 of 2 odd ones
}

// Groups are sets of ranks with an order. SplitType finds those that share memory.
func ExampleGroup_Union() {
	ranks(4, func(world *mpi.Comm) error {
		shared, err := world.SplitType(mpi.Shared, 0)
		if err != nil {
			return err
		}
		all := shared.Group()
		first, err := all.Incl(0)
		if err != nil {
			return err
		}
		others, err := all.Excl(0)
		if err != nil {
			return err
		}
		even, err := all.RangeIncl(mpi.Range{First: 0, Last: all.Size() - 1, Stride: 2})
		if err != nil {
			return err
		}
		odd, err := all.RangeExcl(mpi.Range{First: 0, Last: all.Size() - 1, Stride: 2})
		if err != nil {
			return err
		}
		backwards := others.Union(first) // rank 0 is the last one now
		places, err := backwards.TranslateRanks([]int{0, others.Size()}, all)
		if err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Printf("%d ranks share memory, %d others\n", all.Size(), others.Size())
			fmt.Println("first and last of the new order:", places)
			fmt.Println("the same:", all.Difference(first).Equal(others), all.Intersection(first).Equal(first),
				even.Union(odd).Size() == all.Size())
		}
		return shared.Free()
	})
	// Unordered output:
	// 4 ranks share memory, 3 others
	// first and last of the new order: [1 0]
	// the same: true true true
}

// Communicators of the same ranks are congruent; of groups that have no rank in common one
// call makes several.
func ExampleComm_Idup() {
	ranks(4, func(world *mpi.Comm) error {
		twin, request, err := world.Idup() // goes on in the background
		if err != nil {
			return err
		}
		var mine []int
		for rank := world.Rank() % 2; rank < world.Size(); rank += 2 {
			mine = append(mine, rank)
		}
		group, err := world.Group().Incl(mine...)
		if err != nil {
			return err
		}
		half, err := world.Create(group)
		if err != nil {
			return err
		}
		if _, err := request.Wait(); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println(world.Compare(twin).String(), half.Size(), world.Self().Size(),
				group.Compare(half.Group()) == mpi.Identical)
		}
		if err := half.Free(); err != nil {
			return err
		}
		return twin.Free()
	})
	// Output: Congruent 2 1 true
}

// A grid that is closed in its second dimension. Beyond a border is mpi.ProcNull: to
// send there and to receive from there does nothing.
func ExampleCartCreate() {
	ranks(4, func(world *mpi.Comm) error {
		dims := []int{0, 0}
		if err := mpi.DimsCreate(world.Size(), dims); err != nil {
			return err
		}
		cart, err := mpi.CartCreate(world, dims, []bool{false, true})
		if err != nil {
			return err
		}
		at, err := cart.Coords(cart.Rank())
		if err != nil {
			return err
		}
		above, below, err := cart.Shift(0, 1)
		if err != nil {
			return err
		}
		fmt.Printf("rank %d is at %v of %v, between %d and %d\n", cart.Rank(), at, cart.Dims(), above, below)
		return cart.Free()
	})
	// Unordered output:
	// rank 0 is at [0 0] of [2 2], between -2 and 2
	// rank 1 is at [0 1] of [2 2], between -2 and 3
	// rank 2 is at [1 0] of [2 2], between 0 and -2
	// rank 3 is at [1 1] of [2 2], between 1 and -2
}

// A grid is cut into its rows, which are grids.
func ExampleCart_Sub() {
	ranks(4, func(world *mpi.Comm) error {
		dims := []int{0, 0}
		if err := mpi.DimsCreate(world.Size(), dims); err != nil {
			return err
		}
		cart, err := mpi.CartCreate(world, dims, []bool{false, true})
		if err != nil {
			return err
		}
		row, err := cart.Sub([]bool{false, true})
		if err != nil {
			return err
		}
		known, ok := mpi.CartOf(row.Comm) // for who got the communicator only
		if !ok {
			return fmt.Errorf("the row has lost its shape")
		}
		last, err := known.RankAt(-1) // the dimension is closed
		if err != nil {
			return err
		}
		fmt.Printf("rank %d: a row of %v, closed %v, whose last is %d\n",
			world.Rank(), known.Dims(), known.Periods(), last)
		return errors.Join(row.Free(), cart.Free())
	})
	// Unordered output:
	// rank 0: a row of [2], closed [true], whose last is 1
	// rank 1: a row of [2], closed [true], whose last is 1
	// rank 2: a row of [2], closed [true], whose last is 1
	// rank 3: a row of [2], closed [true], whose last is 1
}

// Ranks exchange with the neighbours of a graph only: here each gets from the two
// before it.
func ExampleDistGraphCreateAdjacent() {
	ranks(4, func(world *mpi.Comm) error {
		n, me := world.Size(), world.Rank()
		g, err := mpi.DistGraphCreateAdjacent(world, mpi.Neighbors{
			Sources:      []int{(me + n - 1) % n, (me + 2*n - 2) % n},
			Destinations: []int{(me + 1) % n, (me + 2) % n},
		})
		if err != nil {
			return err
		}
		got := make([]int, 2)
		if err := mpi.NeighborAllgather(g.Comm, []int{me * me}, got); err != nil {
			return err
		}
		fmt.Printf("rank %d got %v\n", me, got)
		return g.Free()
	})
	// Unordered output:
	// rank 0 got [9 4]
	// rank 1 got [0 9]
	// rank 2 got [1 0]
	// rank 3 got [4 1]
}

// One rank states all edges of a graph; each learns its own.
func ExampleDistGraphCreate() {
	ranks(4, func(world *mpi.Comm) error {
		var edges []mpi.Edge
		if world.Rank() == 0 {
			for rank := 1; rank < world.Size(); rank++ {
				edges = append(edges, mpi.Edge{Source: rank, Destination: 0, Weight: 10 * rank})
			}
		}
		c, err := mpi.DistGraphCreate(world, edges)
		if err != nil {
			return err
		}
		known, ok := mpi.DistGraphOf(c.Comm)
		if !ok {
			return fmt.Errorf("the graph is lost")
		}
		own := known.Neighbors()
		fmt.Printf("rank %d hears from %v, weights %v, and tells %v\n",
			c.Rank(), own.Sources, own.SourceWeights, own.Destinations)
		return c.Free()
	})
	// Unordered output:
	// rank 0 hears from [1 2 3], weights [10 20 30], and tells []
	// rank 1 hears from [], weights [], and tells [0]
	// rank 2 hears from [], weights [], and tells [0]
	// rank 3 hears from [], weights [], and tells [0]
}

// Ranks start others. Without pvasrun there is nobody who could.
func ExampleComm_Spawn() {
	ranks(2, func(world *mpi.Comm) error {
		if all, err := world.Parents(); all != nil || err != nil { // this is one of the workers
			return err
		}
		program, err := mpi.Executable()
		if err != nil {
			return err
		}
		all, err := world.Spawn(0, mpi.Command{Program: program, Args: []string{"-v"}, N: 4})
		if errors.Is(err, mpi.ErrSpawn) {
			fmt.Println("no workers")
			return nil
		}
		if err != nil {
			return err
		}
		return all.Free()
	})
	// Output:
	// no workers
	// no workers
}
