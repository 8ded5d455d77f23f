package comm

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/comm/agree"
	"github.com/gopvas/gopvas/mpi/fault"
)

// DistGraph is a communicator whose ranks are the nodes of a directed graph. Each rank
// knows its own edges only. An edge may be there several times, and may lead from a
// rank to itself.
type DistGraph struct {
	Comm  *Comm
	graph *Neighbors
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

// DistGraphCreateAdjacent returns a communicator of the ranks of c, in the same order, as a
// graph of which each rank gives its own edges. MPI 4.1 section 8.5.4
// (MPI_Dist_graph_create_adjacent).
func DistGraphCreateAdjacent(c *Comm, own Neighbors) (*DistGraph, error) {
	const op = "create adjacent graph"
	n, _, err := c.createAmongAll(agree.Proposal{Key: int64(c.Rank()), Call: agree.CallOf(op)}, own.check(c.Size()))
	if err != nil {
		return nil, Wrap(op, err)
	}
	return newDistGraph(n, own.clone()), nil
}

// DistGraphCreate returns a communicator of the ranks of c, in the same order, as a graph of
// which each rank gives any edges, once: not only its own, and perhaps none. MPI 4.1 section
// 8.5.4 (MPI_Dist_graph_create).
func DistGraphCreate(c *Comm, edges []Edge) (*DistGraph, error) {
	const op = "create graph"
	var bad error
	p := agree.Proposal{Key: int64(c.Rank()), Call: agree.CallOf(op)}
	for i, e := range edges {
		if bad = checkNeighbor(e.Source, c.Size()); bad == nil {
			bad = checkNeighbor(e.Destination, c.Size())
		}
		if bad != nil {
			bad = fmt.Errorf("edge %d: %w", i, bad)
			break
		}
		p.Data = e.encode(p.Data)
	}
	n, all, err := c.createAmongAll(p, bad)
	if err != nil {
		return nil, Wrap(op, err)
	}
	var own Neighbors
	for _, from := range all {
		for data := from.Data; len(data) >= edgeSize; data = data[edgeSize:] {
			own.add(decodeEdge(data), c.Rank())
		}
	}
	return newDistGraph(n, &own), nil
}

// DistGraphOf returns the graph that c, which may be a copy of a DistGraph's communicator,
// has; ok tells whether it has one. MPI 4.1 section 8.5.5 (MPI_Topo_test).
func DistGraphOf(c *Comm) (g *DistGraph, ok bool) {
	own, ok := topologyOf(c).(*Neighbors)
	if !ok {
		return nil, false
	}
	return &DistGraph{c, own}, true
}

// newDistGraph makes a new communicator a DistGraph.
func newDistGraph(c *Comm, own *Neighbors) *DistGraph {
	c.topology = own
	return &DistGraph{c, own}
}

// Neighbors returns the edges of this rank.
func (g *DistGraph) Neighbors() Neighbors {
	if g == nil || g.graph == nil {
		return Neighbors{}
	}
	return *g.graph.clone()
}

func (n *Neighbors) neighbors() (sources, destinations []int) { return n.Sources, n.Destinations }

func (n *Neighbors) mirror(int) int { return -1 }

func (n *Neighbors) clone() *Neighbors {
	return &Neighbors{
		Sources: slices.Clone(n.Sources), SourceWeights: slices.Clone(n.SourceWeights),
		Destinations: slices.Clone(n.Destinations), DestinationWeights: slices.Clone(n.DestinationWeights),
	}
}

// add adds an edge of the graph, if it is one of this rank.
func (n *Neighbors) add(e Edge, rank int) {
	if e.Destination == rank {
		n.Sources, n.SourceWeights = append(n.Sources, e.Source), append(n.SourceWeights, e.Weight)
	}
	if e.Source == rank {
		n.Destinations = append(n.Destinations, e.Destination)
		n.DestinationWeights = append(n.DestinationWeights, e.Weight)
	}
}

// check returns an error unless these can be edges of a rank.
func (n *Neighbors) check(size int) error {
	for _, side := range []struct {
		name           string
		ranks, weights []int
	}{
		{"source", n.Sources, n.SourceWeights},
		{"destination", n.Destinations, n.DestinationWeights},
	} {
		if side.weights != nil && len(side.weights) != len(side.ranks) {
			return fmt.Errorf("%d weights for %d %ss: pass as many, or nil", len(side.weights),
				len(side.ranks), side.name)
		}
		for i, rank := range side.ranks {
			if err := checkNeighbor(rank, size); err != nil {
				return fmt.Errorf("%s %d: %w", side.name, i, err)
			}
		}
	}
	return nil
}

func checkNeighbor(rank, size int) error {
	if uint(rank) >= uint(size) {
		return &fault.RankError{Rank: rank, Size: size}
	}
	return nil
}

const edgeSize = 4 + 4 + 8

func (e Edge) encode(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(e.Source))
	b = binary.LittleEndian.AppendUint32(b, uint32(e.Destination))
	return binary.LittleEndian.AppendUint64(b, uint64(e.Weight))
}

func decodeEdge(b []byte) Edge {
	return Edge{
		Source:      int(binary.LittleEndian.Uint32(b)),
		Destination: int(binary.LittleEndian.Uint32(b[4:])),
		Weight:      int(int64(binary.LittleEndian.Uint64(b[8:]))),
	}
}
