package coll

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/coll/cad"
)

// NeighborsGraph is Neighbors as a graph; see Graph. The messages between two members
// are matched by their tags, and those with the same tag by their order. Edges that are
// marked as wrong make a graph that is marked as refused.
func (t *Team) NeighborsGraph(out, in []Edge, wrong bool) (*cad.Graph, error) {
	b := newBuilder(t, Args{})
	for _, e := range slices.Concat(in, out) {
		if e.Member >= t.Size {
			return nil, fmt.Errorf("coll: neighbors: %w", &RankError{Rank: e.Member, Size: t.Size})
		}
	}
	for _, e := range byTag(in) {
		b.recvBlock(e.Data, e.Member)
	}
	for _, e := range byTag(out) {
		b.sendBlock(e.Data, e.Member)
	}
	b.g.Refused = wrong
	b.g.Tie()
	return b.g, nil
}

// byTag returns the edges that lead to somebody, in the order of their tags.
func byTag(edges []Edge) []Edge {
	edges = slices.DeleteFunc(slices.Clone(edges), func(e Edge) bool { return e.Member < 0 })
	slices.SortStableFunc(edges, func(a, b Edge) int { return cmp.Compare(a.Tag, b.Tag) })
	return edges
}
