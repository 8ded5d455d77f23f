package shared

import (
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/mpi/fault"
)

// image is a graph in shared memory, ready to be issued.
type image struct {
	nodes, aux uint64 // addresses
	count      int    // nodes
	peers      int
	words      int        // of aux
	start, end uint32     // places
	ops        []*cad.Op  // of the CALC nodes, by place
	refs       []*btl.Ref // of the buffers with a layout: keeps them reachable
}

// orderOf returns the nodes in the order of their places: RECV and SEND nodes by kind,
// rank and creation, then the others.
func orderOf(g *cad.Graph, c *cad.Channel) []cad.Node {
	rank := func(n cad.Node) (int, uint32) {
		s := &g.Nodes[n]
		if s.Kind == cad.Send || s.Kind == cad.Recv {
			return 0, peerKey(s.Kind, uint32(c.RankOf(s.Peer)))
		}
		return 1, 0
	}
	order := make([]cad.Node, len(g.Nodes))
	for n := range order {
		order[n] = cad.Node(n)
	}
	slices.SortStableFunc(order, func(a, b cad.Node) int {
		i, x := rank(a)
		j, y := rank(b)
		if i != j {
			return i - j
		}
		return int(x) - int(y)
	})
	return order
}

// build lays the graph out. e.mu is held.
func (e *Engine) build(c *cad.Channel, g *cad.Graph) (*image, error) {
	if len(g.Nodes) > maxNodes {
		return nil, &fault.GraphError{Node: -1, What: fmt.Sprintf("%d nodes are more than %d", len(g.Nodes), maxNodes)}
	}
	edges, first := g.Successors()
	if err := g.Check(c.Size, edges, first); err != nil {
		return nil, err
	}
	order := orderOf(g, c)
	place := make([]uint32, len(order))
	for i, n := range order {
		place[n] = uint32(i)
	}
	runs := runsOf(g, c, order)
	m := &image{count: len(order), peers: len(runs), start: place[cad.Start], end: place[cad.End],
		ops: make([]*cad.Op, len(order))}
	names := namesAt(uint32(m.count), uint32(m.peers))
	base := names + nameWords*named(g, runs)
	m.words = int(base) + len(edges)
	var err error
	if m.nodes, err = e.nodes.take(m.count); err != nil {
		return nil, fmt.Errorf("cad: memory for %d nodes: %w", m.count, err)
	}
	if m.aux, err = e.aux.take(linesFor(m.words)); err != nil {
		e.nodes.give(m.nodes, m.count)
		return nil, fmt.Errorf("cad: memory for %d edges: %w", len(edges), err)
	}
	for i, p := range runs {
		at := uint32(m.count + i*peerWords)
		word(m.aux, at).Store(p.key)
		word(m.aux, at+1).Store(p.first)
		word(m.aux, at+2).Store(p.count)
	}
	for i, edge := range edges {
		word(m.aux, base+uint32(i)).Store(place[edge.To])
	}
	for i, n := range order {
		e.fill(m, m.node(uint32(i)), &g.Nodes[n], g.Policy)
		m.ops[i] = g.Nodes[n].Op
		m.node(uint32(i)).first = base + uint32(first[n])
		m.node(uint32(i)).count = uint32(first[n+1] - first[n])
		if m.node(uint32(i)).folds {
			word(m.aux, names+nameWords*uint32(i)).Store(uint32(high(m.ops[i].Name)))
			word(m.aux, names+nameWords*uint32(i)+1).Store(uint32(low(m.ops[i].Name)))
		}
	}
	for _, edge := range edges {
		m.node(place[edge.To]).before++
	}
	m.pair(runs)
	return m, nil
}

// pair numbers the nodes of each run.
func (m *image) pair(runs []peer) {
	for _, p := range runs {
		for port := range p.count {
			m.node(p.first + port).arg = pair{p.key >> 1, port, p.count}.word()
		}
	}
}

// fill writes what a node does.
func (e *Engine) fill(m *image, n *node, s *cad.Spec, p cad.Policy) {
	if p == cad.Default {
		p = e.options.Policy
	}
	n.kind, n.policy, n.before = s.Kind, p, 0
	n.dst, n.src, n.size = m.place(&s.Dst), m.place(&s.Src), uint64(max(s.Dst.Len(), s.Src.Len()))
	n.alone, n.folds, n.arg = false, false, 0
	if s.Op != nil {
		n.alone, n.folds, n.arg = s.Op.Name == 0, s.Kind == cad.Recv, s.Op.Name
	}
}

// typed marks, in the dst and src of a node, the address of a btl.Ref.
const typed = 1 << 63

// place returns what a node says of a buffer.
func (m *image) place(b *btl.Buffer) uint64 {
	if b.Layout == nil {
		return cad.AddressOf(b.Bytes)
	}
	r := btl.RefTo(b)
	m.refs = append(m.refs, &r)
	return refAddress(&r) | typed
}

// move copies n bytes between two places that nodes have.
func move(dst, src, n uint64) {
	if (dst|src)&typed == 0 {
		copy(cad.BytesAt(dst, int(n)), cad.BytesAt(src, int(n)))
		return
	}
	to, from := refOf(dst, n), refOf(src, n)
	btl.CopyRef(&to, &from, 0, int(n))
}

// refOf is the buffer of n bytes at a place.
func refOf(place, n uint64) btl.Ref {
	if place&typed == 0 {
		return btl.Ref{Place: place, Length: n}
	}
	return *refAt(place &^ typed)
}

// named returns for how many places of nodes there is to be room for the name of an
// operator: all that communicate, which come first, if any of them folds.
func named(g *cad.Graph, runs []peer) uint32 {
	if len(runs) == 0 || !slices.ContainsFunc(g.Nodes, func(s cad.Spec) bool { return s.Folds() }) {
		return 0
	}
	last := runs[len(runs)-1]
	return last.first + last.count
}

// runsOf returns the peers of nodes in their final order.
func runsOf(g *cad.Graph, c *cad.Channel, order []cad.Node) (runs []peer) {
	for i, n := range order {
		s := &g.Nodes[n]
		if s.Kind != cad.Send && s.Kind != cad.Recv {
			break
		}
		key := peerKey(s.Kind, uint32(c.RankOf(s.Peer)))
		if last := len(runs) - 1; last >= 0 && runs[last].key == key {
			runs[last].count++
		} else {
			runs = append(runs, peer{key, uint32(i), 1})
		}
	}
	return runs
}

func (m *image) node(place uint32) *node { return nodeAt(m.nodes + uint64(place)*uint64(nodeSize)) }

// free gives the memory back. e.mu is held.
func (e *Engine) free(m *image) {
	e.nodes.give(m.nodes, m.count)
	e.aux.give(m.aux, linesFor(m.words))
}
