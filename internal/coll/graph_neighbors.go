package coll

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/coll/cad"
)

// NeighborsGraph is Neighbors as a graph; see Graph. The messages between two members
// are matched by their tags, and those with the same tag by their order. once: it will be issued once, next.
func (t *Team) NeighborsGraph(x Exchange, once bool) (*cad.Graph, error) {
	if err := t.prepareEdges(&x); err != nil {
		return cad.NewRefusal(uint64(neighbors), "i"+neighborsName), fmt.Errorf("coll: neighbors: %w", err)
	}
	if once && !t.Check && t.Size > 1 {
		t.connect()
		t.issued++
		t.rememberEdges(nonblocking, t.issued, &x)
	}
	return x.graph(t), nil
}

func (x *Exchange) graph(t *Team) *cad.Graph {
	b := newBuilder(t, Args{Hooks: x.Hooks})
	b.uncut = x.Layouts
	for _, e := range byTag(x.In) {
		b.recvPart(e.Data, e.Member)
	}
	for _, e := range byTag(x.Out) {
		b.sendPart(e.Data, e.Member)
	}
	b.g.Name, b.g.Signature = "i"+neighborsName, uint64(neighbors)<<callKindAt
	b.finish()
	return b.g
}

// byTag returns the edges that lead to somebody, in the order of their tags.
func byTag(edges []Edge) []Edge {
	edges = slices.DeleteFunc(slices.Clone(edges), func(e Edge) bool { return e.Member < 0 })
	slices.SortStableFunc(edges, func(a, b Edge) int { return cmp.Compare(a.Tag, b.Tag) })
	return edges
}
