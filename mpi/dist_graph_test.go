package mpi

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// graphAdjacent: a ring with an edge of each rank to itself, weighted and not.
func graphAdjacent(c *Comm) error {
	left, right := ring(c)
	for _, own := range []Neighbors{
		{Sources: []int{left, c.Rank()}, Destinations: []int{right, c.Rank()}},
		{
			Sources: []int{left, c.Rank()}, SourceWeights: []int{left, -1},
			Destinations: []int{right, c.Rank()}, DestinationWeights: []int{c.Rank(), -1},
		},
		{},
	} {
		given := Neighbors{
			Sources: slices.Clone(own.Sources), SourceWeights: slices.Clone(own.SourceWeights),
			Destinations: slices.Clone(own.Destinations), DestinationWeights: slices.Clone(own.DestinationWeights),
		}
		g, err := DistGraphCreateAdjacent(c, given)
		if err != nil {
			return err
		}
		for i := range given.Sources {
			given.Sources[i] = -9 // ours again
		}
		d, err := g.Dup()
		if err != nil {
			return err
		}
		again, ok := DistGraphOf(d)
		_, grid := CartOf(d)
		if err := first(want("graph", ok, true), want("grid", grid, false),
			want("neighbours", fmt.Sprint(g.Neighbors()), fmt.Sprint(own)),
			want("neighbours of the copy", fmt.Sprint(again.Neighbors()), fmt.Sprint(own)),
			pass(d, 1), d.Free(), g.Free()); err != nil {
			return err
		}
	}
	return nil
}

// graphAnyEdges gives random edges by ranks that they do not concern, and compares
// with a look through all of them.
func graphAnyEdges(c *Comm) error {
	random := rand.New(rand.NewPCG(3, uint64(c.Size()))) // the same for all
	for _, n := range []int{0, 1, 40} {
		given := make([][]Edge, c.Size())
		var expected Neighbors
		for rank := range given {
			for range random.IntN(n + 1) {
				e := Edge{Source: random.IntN(c.Size()), Destination: random.IntN(c.Size()), Weight: random.IntN(9) - 4}
				given[rank] = append(given[rank], e)
				if e.Destination == c.Rank() {
					expected.Sources = append(expected.Sources, e.Source)
					expected.SourceWeights = append(expected.SourceWeights, e.Weight)
				}
				if e.Source == c.Rank() {
					expected.Destinations = append(expected.Destinations, e.Destination)
					expected.DestinationWeights = append(expected.DestinationWeights, e.Weight)
				}
			}
		}
		g, err := DistGraphCreate(c, given[c.Rank()])
		if err != nil {
			return err
		}
		if err := first(want("neighbours", fmt.Sprint(g.Neighbors()), fmt.Sprint(expected)),
			talkAlongEdges(g), g.Free()); err != nil {
			return err
		}
	}
	return nil
}

// talkAlongEdges sends a message along every edge: the edges of the ranks fit.
func talkAlongEdges(g *DistGraph) error {
	var reqs []Request
	own := g.Neighbors()
	for i, to := range own.Destinations {
		r, err := Isend(g.Comm, []int64{int64(own.DestinationWeights[i])}, to, 0)
		if err != nil {
			return err
		}
		reqs = append(reqs, r)
	}
	for i, from := range own.Sources {
		var w [1]int64
		if _, err := Recv(g.Comm, w[:], from, 0); err != nil {
			return err
		}
		if err := want("weight", w[0], int64(own.SourceWeights[i])); err != nil {
			return err
		}
	}
	return drain(reqs)
}

func graphBadEdges(c *Comm) error {
	_, err := DistGraphCreate(c, []Edge{{}, {Destination: c.Size()}})
	bad, ok := errors.AsType[*RankError](err)
	if !ok || bad.Rank != c.Size() {
		return fmt.Errorf("edge to nowhere: %v", err)
	}
	_, null := DistGraphCreateAdjacent(c, Neighbors{Sources: []int{ProcNull}})
	_, weights := DistGraphCreateAdjacent(c, Neighbors{Destinations: []int{0}, DestinationWeights: []int{}})
	return first(wantContains(err, "edge 1: rank"), wantContains(null, "source 0: rank -2 is outside"),
		wantContains(weights, "0 weights for 1 destinations"), c.Barrier())
}
