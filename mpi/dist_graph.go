package mpi

import "github.com/gopvas/gopvas/internal/msg/comm"

// DistGraph is a communicator whose ranks are the nodes of a directed graph. Each rank
// knows its own edges only, which its method Neighbors returns. An edge may be there
// several times, and may lead from a rank to itself.
type DistGraph struct {
	*Comm
	graph *comm.DistGraph
}

// newDistGraph is nil for nil.
func newDistGraph(g *comm.DistGraph) *DistGraph {
	if g == nil {
		return nil
	}
	return &DistGraph{(*Comm)(g.Comm), g}
}

// Neighbors are the edges of one rank: those into it, by the ranks they come from, and
// those out of it, by the ranks they lead to, with their weights. What the weights mean
// is up to the program: nothing here depends on them.
type Neighbors struct {
	Sources, SourceWeights           []int // as many weights as sources, or nil
	Destinations, DestinationWeights []int // likewise
}

// Edge is an edge of a graph.
type Edge struct {
	Source, Destination int
	Weight              int
}

// DistGraphCreateAdjacent returns a communicator of the ranks of c, in the same order,
// as a graph of which each rank gives its own edges. An edge from a to b is given by
// both, as often as it is there: that is not checked, and neighbourhood operations wait
// forever if it is not so. It is collective, as Comm.Dup. Ranks are never reordered.
//
// MPI 4.1 section 8.5.4 (MPI_Dist_graph_create_adjacent).
func DistGraphCreateAdjacent(c *Comm, own Neighbors) (*DistGraph, error) {
	g, err := comm.DistGraphCreateAdjacent(c.inner(), comm.Neighbors(own))
	return newDistGraph(g), err
}

// DistGraphCreate returns a communicator of the ranks of c, in the same order, as a
// graph of which each rank gives any edges, once: not only its own, and perhaps none.
// The neighbours of a rank are then in the order of the ranks that have given the
// edges, and of their lists. It is collective, as Comm.Dup. Ranks are never reordered.
//
// All edges pass through all ranks, 16 bytes each: for large graphs whose ranks know
// their own edges use DistGraphCreateAdjacent.
//
// MPI 4.1 section 8.5.4 (MPI_Dist_graph_create).
func DistGraphCreate(c *Comm, edges []Edge) (*DistGraph, error) {
	inner := make([]comm.Edge, len(edges))
	for i, e := range edges {
		inner[i] = comm.Edge(e)
	}
	g, err := comm.DistGraphCreate(c.inner(), inner)
	return newDistGraph(g), err
}

// DistGraphOf returns the graph that c, which may be a copy of a DistGraph's
// communicator, has; ok tells whether it has one.
//
// MPI 4.1 section 8.5.5 (MPI_Topo_test).
func DistGraphOf(c *Comm) (g *DistGraph, ok bool) {
	d, ok := comm.DistGraphOf(c.inner())
	return newDistGraph(d), ok
}

// Neighbors returns the edges of this rank.
//
// MPI 4.1 section 8.5.5 (MPI_Dist_graph_neighbors).
func (g *DistGraph) Neighbors() Neighbors {
	if g == nil {
		return Neighbors{}
	}
	return Neighbors(g.graph.Neighbors())
}
