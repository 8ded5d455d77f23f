package cad

import (
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/mpi/fault"
)

// successors returns the edges in the order of where they come from, each once, and
// for each node where its own begin; the last number is that of all.
func (g *Graph) successors() (edges []edge, first []int32) {
	edges = slices.Clone(g.edges)
	slices.SortFunc(edges, func(a, b edge) int {
		if a.from != b.from {
			return int(a.from - b.from)
		}
		return int(a.to - b.to)
	})
	edges = slices.Compact(edges)
	first = make([]int32, len(g.nodes)+1)
	for _, e := range edges {
		first[e.from+1]++
	}
	for n := range g.nodes {
		first[n+1] += first[n]
	}
	return edges, first
}

// check returns an error unless every node is reachable from START, reaches END, and
// comes after itself in no way (the rules of the KACC paper), and every peer is one.
func (g *Graph) check(members int, edges []edge, first []int32) error {
	if g.err != nil {
		return &fault.GraphError{Node: -1, What: g.err.Error()}
	}
	for n, s := range g.nodes {
		if (s.kind == Send || s.kind == Recv) && (s.peer < 0 || s.peer >= members) {
			return &fault.GraphError{Node: n,
				What: fmt.Sprintf("%v names member %d, there are 0..%d", s.kind, s.peer, members-1)}
		}
	}
	order, err := g.sorted(edges, first)
	if err != nil {
		return err
	}
	reached, ends := make([]bool, len(g.nodes)), make([]bool, len(g.nodes))
	reached[Start], ends[End] = true, true
	for _, n := range order {
		for _, e := range edges[first[n]:first[n+1]] {
			reached[e.to] = reached[e.to] || reached[n]
		}
	}
	for _, n := range slices.Backward(order) {
		for _, e := range edges[first[n]:first[n+1]] {
			ends[n] = ends[n] || ends[e.to]
		}
	}
	for n, s := range g.nodes {
		switch {
		case !reached[n]:
			return &fault.GraphError{Node: n, What: s.kind.String() +
				" is not reached from START: connect it, or use Tie"}
		case !ends[n]:
			return &fault.GraphError{Node: n, What: s.kind.String() + " does not lead to END: connect it, or use Tie"}
		}
	}
	return nil
}

// sorted returns all nodes so that edges lead forwards, or the error that names a
// node of a cycle.
func (g *Graph) sorted(edges []edge, first []int32) ([]Node, error) {
	left := make([]int32, len(g.nodes))
	for _, e := range edges {
		left[e.to]++
	}
	order := make([]Node, 0, len(g.nodes))
	for n, before := range left {
		if before == 0 {
			order = append(order, Node(n))
		}
	}
	for i := 0; i < len(order); i++ {
		n := order[i]
		for _, e := range edges[first[n]:first[n+1]] {
			if left[e.to]--; left[e.to] == 0 {
				order = append(order, e.to)
			}
		}
	}
	if len(order) == len(g.nodes) {
		return order, nil
	}
	return nil, &fault.GraphError{Node: int(inCycle(edges, left)), What: "comes after itself: the graph has a cycle"}
}

// inCycle returns a node of a cycle. All nodes with something left before them lie on
// a cycle or behind one: going backwards among them ends on it.
func inCycle(edges []edge, left []int32) Node {
	n := Node(slices.IndexFunc(left, func(l int32) bool { return l > 0 }))
	for range left {
		i := slices.IndexFunc(edges, func(e edge) bool { return e.to == n && left[e.from] > 0 })
		n = edges[i].from
	}
	return n
}
