package main

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/mpi"
)

func init() {
	stops["split"], stops["dup"], stops["group"] = split, dup, group
	stops["grid"], stops["neighbors"] = grid, neighbors
	stops["sets"], stops["lines"], stops["star"] = sets, lines, star
}

// Ranks of one color are a communicator, in the order of the key.
func split(world *mpi.Comm) error {
	row, err := world.Split(world.Rank()/2, world.Rank())
	if err != nil {
		return err
	}
	fmt.Printf("world rank %d is rank %d of %d in row %d\n", world.Rank(), row.Rank(), row.Size(), world.Rank()/2)
	return row.Free()
}

// A library talks on a copy: its messages meet no receive of the program. An
// attribute keeps it with the communicator that it was made for.
func dup(world *mpi.Comm) error {
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
}

// Only the members of a group make a communicator of it; the others go on.
func group(world *mpi.Comm) error {
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
}

// A grid that is closed in its second dimension. Beyond a border is mpi.ProcNull: to
// send there and to receive from there does nothing.
func grid(world *mpi.Comm) error {
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
}

// Ranks exchange with the neighbours of a graph only: here each gets from the two
// before it.
func neighbors(world *mpi.Comm) error {
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
}

// Groups are sets of ranks with an order. SplitType finds those that share memory.
func sets(world *mpi.Comm) error {
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
}

// A grid is cut into its rows, which are grids.
func lines(world *mpi.Comm) error {
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
	fmt.Printf("rank %d: a row of %v, closed %v, whose last is %d\n", world.Rank(), known.Dims(), known.Periods(), last)
	return errors.Join(row.Free(), cart.Free())
}

// One rank states all edges of a graph; each learns its own.
func star(world *mpi.Comm) error {
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
	fmt.Printf("rank %d hears from %v, weights %v, and tells %v\n", c.Rank(), own.Sources,
		own.SourceWeights, own.Destinations)
	return c.Free()
}
