package cad

import (
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/mpi/fault"
)

// Successors returns the edges in the order of where they come from, each once. first says for each node where its
// edges begin; its last number is that of all edges.
func (g *Graph) Successors() (edges []Edge, first []int32) {
	edges = slices.Clone(g.Edges)
	slices.SortFunc(edges, func(a, b Edge) int {
		if a.From != b.From {
			return int(a.From - b.From)
		}
		return int(a.To - b.To)
	})
	edges = slices.Compact(edges)
	first = make([]int32, len(g.Nodes)+1)
	for _, e := range edges {
		first[e.From+1]++
	}
	for n := range g.Nodes {
		first[n+1] += first[n]
	}
	return edges, first
}

// connect says what to do with a node that is not.
const connect = "connect it, or use Tie, in C MPIX_Graph_tie"

// Check returns an error if a peer is none, or if the graph breaks a rule of the KACC paper: every node is reachable
// from START, reaches END, and does not come after itself.
func (g *Graph) Check(members int, edges []Edge, first []int32) error {
	if g.err != nil {
		return &fault.GraphError{Node: -1, What: g.err.Error()}
	}
	for n, s := range g.Nodes {
		if (s.Kind == Send || s.Kind == Recv) && (s.Peer < 0 || s.Peer >= members) {
			return &fault.GraphError{Node: n,
				What: fmt.Sprintf("%v names member %d, there are 0..%d", s.Kind, s.Peer, members-1)}
		}
	}
	order, err := g.sorted(edges, first)
	if err != nil {
		return err
	}
	reached, ends := make([]bool, len(g.Nodes)), make([]bool, len(g.Nodes))
	reached[Start], ends[End] = true, true
	for _, n := range order {
		for _, e := range edges[first[n]:first[n+1]] {
			reached[e.To] = reached[e.To] || reached[n]
		}
	}
	for _, n := range slices.Backward(order) {
		for _, e := range edges[first[n]:first[n+1]] {
			ends[n] = ends[n] || ends[e.To]
		}
	}
	for n, s := range g.Nodes {
		switch {
		case !reached[n]:
			return &fault.GraphError{Node: n, What: s.Kind.String() +
				" is not reached from START: " + connect}
		case !ends[n]:
			return &fault.GraphError{Node: n, What: s.Kind.String() + " does not lead to END: " + connect}
		}
	}
	return nil
}

// sorted returns all nodes so that edges lead forwards, or the error that names a
// node of a cycle.
func (g *Graph) sorted(edges []Edge, first []int32) ([]Node, error) {
	left := make([]int32, len(g.Nodes))
	for _, e := range edges {
		left[e.To]++
	}
	order := make([]Node, 0, len(g.Nodes))
	for n, before := range left {
		if before == 0 {
			order = append(order, Node(n))
		}
	}
	for i := 0; i < len(order); i++ {
		n := order[i]
		for _, e := range edges[first[n]:first[n+1]] {
			if left[e.To]--; left[e.To] == 0 {
				order = append(order, e.To)
			}
		}
	}
	if len(order) == len(g.Nodes) {
		return order, nil
	}
	return nil, &fault.GraphError{Node: int(inCycle(edges, left)), What: "comes after itself: the graph has a cycle"}
}

// inCycle returns a node of a cycle. All nodes with something left before them lie on
// a cycle or behind one: going backwards among them ends on it.
func inCycle(edges []Edge, left []int32) Node {
	n := Node(slices.IndexFunc(left, func(l int32) bool { return l > 0 }))
	for range left {
		i := slices.IndexFunc(edges, func(e Edge) bool { return e.To == n && left[e.From] > 0 })
		n = edges[i].From
	}
	return n
}
