package comm

import (
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/comm/agree"
)

// GraphTopology is a communicator whose ranks are the nodes of a graph that every rank knows as
// a whole. In neighbourhood operations a rank sends to, and receives from, the ends of its
// edges: once for each edge.
type GraphTopology struct {
	Comm  *Comm
	graph *wholeGraph
}

// wholeGraph has the edges of all ranks: those of rank i are edges[index[i-1]:index[i]].
type wholeGraph struct {
	index, edges []int
	rank         int
}

// GraphCreate makes the first len(index) ranks of c the nodes of a graph, in the same order. The
// other ranks get nil, and no error. index[i] is the number of edges of the nodes 0 to i. edges
// has the neighbours, one node after the other. It is collective, as Dup; all ranks pass the
// same. Ranks are never reordered. For large graphs use DistGraphCreateAdjacent.
//
// MPI 4.1 section 8.5.3 (MPI_Graph_create).
func GraphCreate(c *Comm, index, edges []int) (*GraphTopology, error) {
	const op = "create graph topology"
	p := agree.Proposal{Key: int64(c.Rank()), Call: agree.CallOf(op, index, edges)}
	bad := checkWholeGraph(index, edges, c.Size())
	if c.remote() != nil {
		bad = ErrInter
	}
	if bad == nil && c.Rank() >= len(index) {
		p.Color = Undefined
	}
	n, _, err := c.createAmongAll(p, bad)
	if err != nil || n == nil {
		return nil, Wrap(op, err)
	}
	g := &wholeGraph{index: slices.Clone(index), edges: slices.Clone(edges), rank: n.Rank()}
	n.topology = g
	return &GraphTopology{n, g}, nil
}

func checkWholeGraph(index, edges []int, size int) error {
	if len(index) > size {
		return fmt.Errorf("%d nodes for %d ranks", len(index), size)
	}
	last := 0
	for i, n := range index {
		if n < last {
			return fmt.Errorf("index %d is %d, less than the one before", i, n)
		}
		last = n
	}
	if last != len(edges) {
		return fmt.Errorf("the index ends at %d, but there are %d edges", last, len(edges))
	}
	for i, rank := range edges {
		if err := checkNeighbor(rank, len(index)); err != nil {
			return fmt.Errorf("edge %d: %w", i, err)
		}
	}
	return nil
}

// GraphOf returns the graph that c has from GraphCreate; ok tells whether it has one.
//
// MPI 4.1 section 8.5.5 (MPI_Topo_test).
func GraphOf(c *Comm) (g *GraphTopology, ok bool) {
	w, ok := topologyOf(c).(*wholeGraph)
	if !ok {
		return nil, false
	}
	return &GraphTopology{c, w}, true
}

// Edges returns what GraphCreate was given.
//
// MPI 4.1 section 8.5.5 (MPI_Graph_get, MPI_Graphdims_get).
func (g *GraphTopology) Edges() (index, edges []int) {
	return slices.Clone(g.graph.index), slices.Clone(g.graph.edges)
}

// Neighbors returns the neighbours of a rank. The error wraps a *RankError if there is no
// such rank.
//
// MPI 4.1 section 8.5.5 (MPI_Graph_neighbors).
func (g *GraphTopology) Neighbors(rank int) ([]int, error) {
	if err := checkNeighbor(rank, g.Comm.size); err != nil {
		return nil, Wrap("neighbors in graph", err)
	}
	return slices.Clone(g.graph.of(rank)), nil
}

func (w *wholeGraph) of(rank int) []int {
	start := 0
	if rank > 0 {
		start = w.index[rank-1]
	}
	return w.edges[start:w.index[rank]]
}

func (w *wholeGraph) neighbors() (sources, destinations []int) {
	own := w.of(w.rank)
	return own, own
}

func (w *wholeGraph) mirror(int) int { return -1 }
