package cad

import "slices"

// Guarded returns the graph behind a guard: a round in which all members learn whether all stand for the same call.
//
// Invariant: if the calls of two members differ, all members find something wrong. Then the GATE completes the graph.
// No node before the GATE is left, and none behind it has begun at any member. So nobody waits for the others.
//
// The guard is a dissemination: in step i each member tells the one 2^i ahead that it has heard from all 2^i behind.
// Calls are compared wherever a message is received, and what is wrong is passed on with each message. A member that
// finds nothing wrong has heard from all members, by way of others that found nothing wrong.
//
// A member that does not know what its call moves passes on what it has heard of that. So members that know it are
// compared. (By messages, a panic of an operator may be heard before the GATE: then nothing is wrong here.)
func (g *Graph) Guarded(rank, size int) (w *Graph, entry Node) {
	w = NewGraph()
	w.Policy = g.Policy
	heard, before := Start, []Node(nil)
	for d := 1; d < size; d *= 2 {
		send := w.Send(nil, (rank+d)%size)
		recv := w.Recv(nil, (rank-d+size)%size)
		w.Connect(heard, recv)
		w.Connect(heard, send)
		before = append(before, send)
		heard = recv
	}
	entry = w.add(Spec{Kind: Gate})
	for _, n := range append(before, heard) {
		w.Connect(n, entry)
	}
	moved := func(n Node) Node {
		switch n {
		case Start:
			return entry
		case End:
			return End
		}
		return n + entry - End
	}
	w.Nodes = slices.Concat(w.Nodes, g.Nodes[End+1:])
	for _, e := range g.Edges {
		w.Connect(moved(e.From), moved(e.To))
	}
	return w, entry
}
