package coll

import (
	"cmp"
	"fmt"
	"iter"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// Graph returns this member's part of a collective operation as a graph, to be issued on
// a cad.Channel of the same members: a nonblocking operation, or a persistent one if it
// is issued several times. It does not communicate. The buffers belong to each issue until
// that is complete, also those that are only sent; counts and displacements are
// not needed any more when Graph returns. The error wraps a *RankError, *BufferError
// or Args.Wrong. A graph comes with it that says which operation it is: see Team.Refuse.
//
// MPI 4.1 sections 6.12 and 6.13; the graphs of the KACC paper (see package cad).
func (t *Team) Graph(a Args) (*cad.Graph, error) {
	if err := t.prepare(&a); err != nil {
		return cad.NewRefusal(uint64(a.Kind), graphName(a.Kind)), fmt.Errorf("coll: %v: %w", a.Kind, err)
	}
	return t.graphBy(t.chooseGraph(&a), a), nil
}

// graphBy builds the graph of a call that was prepared.
func (t *Team) graphBy(l *algorithm, a Args) *cad.Graph {
	if a.typed() && !l.takes(&a, false) {
		pack, unpack := a.stage(t.receives(&a))
		a.Inner = a.Before == nil && a.After == nil
		a.Before, a.After = then(a.Before, pack), then(unpack, a.After)
	}
	b := newBuilder(t, a)
	b.build(l)
	return b.g
}

// GraphOnce is Graph for a graph that will be issued once, next. It need not be built if one
// was for a call that differs in nothing but where the buffers are.
func (t *Team) GraphOnce(a *Args) (*cad.Graph, error) {
	args := *a
	if t.prepare(&args) != nil {
		return t.Graph(*a)
	}
	call := t.word(&args)
	if t.connect(); !t.Check && t.Size > 1 {
		t.issued++
		t.remember(nonblocking, t.issued, call, args.agreed(), &args)
	}
	if a.Before != nil || a.After != nil {
		return t.Graph(*a)
	}
	s, ok := t.shapeOf(&args, t.chooseGraph(&args))
	if !ok {
		return t.Graph(*a)
	}
	if g := t.nonblocking.take(&s); g != nil {
		g.SetBuffers(args.Send.Data, args.Recv.Data)
		g.Signature = call
		return g, nil
	}
	g, err := t.Graph(*a)
	if err == nil {
		t.nonblocking.add(g, s, &args)
	}
	return g, err
}

// FreeGraphs gives back the graphs that are cached, and those that still are underway when
// they are complete. It is local, and due on each member when no more will be asked for.
func (t *Team) FreeGraphs() {
	t.nonblocking.close()
}

// builder makes the graph of one call. Nodes are added in the same order on both ends of
// a pair: the k-th SEND to a member meets the k-th RECV there.
type builder struct {
	t     *Team
	a     Args
	g     *cad.Graph
	whole bool // by messages: blocks and vectors are not cut, as nobody shares the work
	uncut bool // blocks of members are not cut, as some may have layouts
	piece int  // length of the pieces; 0: graphPiece

	// first comes before all other nodes: what is called first, then the copy of what is
	// sent if that is in the place of the result; else cad.Start.
	first cad.Node

	members []int // of the graph, by their places in t; nil: t is the team of the graph
}

func newBuilder(t *Team, a Args) *builder {
	b := &builder{t: t, a: a, g: cad.NewGraph(), whole: !t.Engine.Routes().Direct(t.World), uncut: a.typed()}
	if a.Before != nil {
		b.first = b.inner(b.g.Call(a.Before), a.Inner)
	}
	return b
}

// inner says of a call whether its function is one of this package.
func (b *builder) inner(n cad.Node, inner bool) cad.Node {
	b.g.Nodes[n].Inner = inner
	return n
}

// build builds the graph of a call that was prepared.
func (b *builder) build(l *algorithm) {
	a := &b.a
	b.g.Slot, b.g.Signature = l.graphSlot, b.t.word(a)
	b.g.Name = graphName(a.Kind)
	if !a.empty(b.t.Size, a.agreed()) {
		b.g.NeedsAll = a.Kind.needsAll()
		if a.copied() {
			b.copyFirst()
		}
		if l.levels != nil {
			l.levels(b.t, a, b)
		} else {
			l.build(b)
		}
	}
	b.finish()
}

// finish completes a graph that has its nodes.
func (b *builder) finish() {
	if b.a.After != nil {
		b.inner(b.g.CallLast(b.a.After), b.a.Inner)
	}
	b.g.Tie()
}

const (
	// graphPiece is the length of the pieces that long blocks and vectors are cut into,
	// so that several ranks share the work and the next one can begin: it fits into the
	// L2 cache twice.
	graphPiece = 64 << 10

	// maxPieces bounds their number, and so the memory for a graph.
	maxPieces = 64
)

// pieces are the places of the pieces of n bytes, from and to: at least one, and each a
// multiple of unit() bytes if n is.
func (b *builder) pieces(n int) iter.Seq2[int, int] {
	unit, length := b.unit(), max(cmp.Or(b.piece, graphPiece), (n+maxPieces-1)/maxPieces)
	if b.whole {
		length = max(n, 1)
	}
	length = max(length/unit, 1) * unit
	return func(yield func(from, to int) bool) {
		for from := 0; yield(from, min(from+length, n)) && from+length < n; {
			from += length
		}
	}
}

// unit is what no piece has a part of: an element, if operators are to be applied.
func (b *builder) unit() int {
	if b.a.Op == nil {
		return 1
	}
	return b.a.Op.Size
}

// link has a node come after others. cad.Start stands for none.
func (b *builder) link(n cad.Node, after []cad.Node) cad.Node {
	if b.first != cad.Start {
		b.g.Connect(b.first, n)
	}
	for _, a := range after {
		if a != cad.Start {
			b.g.Connect(a, n)
		}
	}
	return n
}

// join returns a node that comes after others: the same if it is one.
func (b *builder) join(after []cad.Node) cad.Node {
	only := cad.Start
	for _, a := range after {
		switch {
		case a == cad.Start || a == only:
		case only == cad.Start:
			only = a
		default:
			return b.link(b.g.Join(), after)
		}
	}
	return only
}

// send, recv, fold, copy and calc add one node, which comes after others. What moves nothing
// from one place to another is left out.

func (b *builder) send(buf []byte, to int, after ...cad.Node) cad.Node {
	return b.link(b.g.Send(buf, b.member(to)), after)
}

func (b *builder) recv(buf []byte, from int, after ...cad.Node) cad.Node {
	return b.link(b.g.Recv(buf, b.member(from)), after)
}

func (b *builder) fold(inout []byte, from int, after ...cad.Node) cad.Node {
	return b.link(b.g.Fold(b.a.Op, inout, b.member(from)), after)
}

func (b *builder) copy(to, from []byte, after ...cad.Node) cad.Node {
	if len(from) == 0 || same(to, from) {
		return b.join(after)
	}
	return b.link(b.g.Copy(to[:len(from)], from), after)
}

func (b *builder) calc(inout, in []byte, after ...cad.Node) cad.Node {
	if len(in) == 0 {
		return b.join(after)
	}
	return b.link(b.g.Calc(b.a.Op, inout, in), after)
}

// same tells whether two buffers, which either are the same memory or have nothing in
// common, are the same.
func same(a, b []byte) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }

// sendBlock, recvBlock and copyBlock do the same in pieces, and return a node that comes
// after all of them.

func (b *builder) sendBlock(buf []byte, to int, after ...cad.Node) cad.Node {
	return b.inPieces(buf, func(piece []byte, _ int) cad.Node { return b.send(piece, to, after...) })
}

func (b *builder) recvBlock(buf []byte, from int, after ...cad.Node) cad.Node {
	return b.inPieces(buf, func(piece []byte, _ int) cad.Node { return b.recv(piece, from, after...) })
}

func (b *builder) copyBlock(to, from []byte, after ...cad.Node) cad.Node {
	return b.inPieces(from, func(piece []byte, at int) cad.Node { return b.copy(to[at:], piece, after...) })
}

func (b *builder) inPieces(buf []byte, f func(piece []byte, at int) cad.Node) cad.Node {
	var nodes []cad.Node
	for from, to := range b.pieces(len(buf)) {
		nodes = append(nodes, f(buf[from:to:to], from))
	}
	return b.join(nodes)
}

// segments calls f for the pieces of the vectors of this call, of which it has those of
// this member: what is sent, and what is received into if it is.
func (b *builder) segments(f func(own, result []byte)) {
	for from, to := range b.pieces(len(b.a.Send.Data)) {
		var result []byte
		if len(b.a.Recv.Data) >= to {
			result = b.a.Recv.Data[from:to:to]
		}
		f(b.a.Send.Data[from:to:to], result)
	}
}
