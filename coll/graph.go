package coll

import (
	"fmt"
	"iter"
	"slices"

	"github.com/gopvas/gopvas/coll/cad"
)

// Graph returns this member's part of a collective operation as a graph, to be issued on
// a cad.Channel of the same members: a nonblocking operation, or a persistent one if it
// is issued several times. It does not communicate. The buffers are lent to each issue
// until that is complete, also those that are only sent; counts and displacements are
// not needed any more when Graph returns. The error wraps a *RankError, *ArgumentError
// or Args.Wrong; with it comes a graph that is marked as refused, see cad.Engine.Refuse.
//
// MPI 4.1 sections 6.12 and 6.13; the graphs of the KACC paper (see package cad).
func (t *Team) Graph(a Args) (*cad.Graph, error) {
	b := newBuilder(t, a)
	if b.err = b.prepare(); b.err == nil {
		b.build(t.chooseGraph(&b.a))
	}
	if b.err == nil {
		return b.g, nil
	}
	a.substitute(t.Size, t.Rank)
	refusing := newBuilder(t, a)
	refusing.g.Refused = true
	refusing.own()
	refusing.build(t.chooseGraph(&refusing.a))
	refusing.g.Slot = 0 // as calls that block do not count then
	return refusing.g, fmt.Errorf("coll: %v: %w", a.Kind, b.err)
}

func (b *builder) build(l *graphAlgorithm) {
	l.build(b)
	b.g.Slot, b.g.Signature = l.slot, b.a.signature()
	b.finish()
}

// finish completes a graph that has its nodes.
func (b *builder) finish() {
	if b.a.After != nil {
		b.g.CallLast(b.a.After)
	}
	b.g.Tie()
}

// own replaces the buffers of the caller that a substitute still has, which gets them
// back at once.
func (b *builder) own() {
	b.a.Send.Data = slices.Clone(b.a.Send.Data)
	if b.a.Kind == Bcast {
		b.a.Recv.Data = b.a.Send.Data
	} else if len(b.a.Recv.Data) > 0 {
		b.a.Recv.Data = make([]byte, len(b.a.Recv.Data))
	}
}

// builder makes the graph of one call. Nodes are added in the same order on both ends of
// a pair: the k-th SEND to a member meets the k-th RECV there.
type builder struct {
	t *Team
	a Args
	g *cad.Graph

	// first comes before all other nodes: what is called first, then the copy of what is
	// sent if that is in the place of the result; else cad.Start.
	first cad.Node

	err error // what is wrong with the call, if that is found on the way
}

func newBuilder(t *Team, a Args) *builder {
	b := &builder{t: t, a: a, g: cad.NewGraph()}
	if a.Before != nil {
		b.first = b.g.Call(a.Before)
	}
	return b
}

// prepare is Team.prepare, but for what is copied because it is in the place of the
// result: that is done anew at each issue.
func (b *builder) prepare() error {
	a := &b.a
	copied := a.InPlace && (a.Kind == ReduceScatter || a.Kind == Alltoall) && a.Wrong == nil
	if !copied {
		return b.t.prepare(a)
	}
	blocks := a.Send
	if a.Kind == Alltoall {
		blocks = a.Recv
	}
	n := blocks.end(b.t.Size)
	if err := need("receive buffer", len(a.Recv.Data), n); err != nil {
		return err
	}
	a.InPlace, a.Send = false, blocks
	a.Send.Data = make([]byte, n)
	if err := b.t.prepare(a); err != nil {
		return err
	}
	b.first = b.copyBlock(a.Send.Data, a.Recv.Data[:n])
	return nil
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
// multiple of unit bytes if n is. They depend on nothing else.
func pieces(n, unit int) iter.Seq2[int, int] {
	length := max(graphPiece, (n+maxPieces-1)/maxPieces)
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
	return b.link(b.g.Send(buf, to), after)
}

func (b *builder) recv(buf []byte, from int, after ...cad.Node) cad.Node {
	return b.link(b.g.Recv(buf, from), after)
}

func (b *builder) fold(inout []byte, from int, after ...cad.Node) cad.Node {
	return b.link(b.g.Fold(b.a.Op, inout, from), after)
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

// place copies this member's own block.
func (b *builder) place(to, from []byte) {
	if len(to) != len(from) {
		b.err = &ArgumentError{What: "place for this rank's own block", Have: len(to), Need: len(from)}
		return
	}
	b.copyBlock(to, from)
}

func (b *builder) inPieces(buf []byte, f func(piece []byte, at int) cad.Node) cad.Node {
	var nodes []cad.Node
	for from, to := range pieces(len(buf), b.unit()) {
		nodes = append(nodes, f(buf[from:to:to], from))
	}
	return b.join(nodes)
}

// segments calls f for the pieces of the vectors of this call, of which it has those of
// this member: what is sent, and what is received into if it is.
func (b *builder) segments(f func(own, result []byte)) {
	for from, to := range pieces(len(b.a.Send.Data), b.unit()) {
		var result []byte
		if len(b.a.Recv.Data) >= to {
			result = b.a.Recv.Data[from:to:to]
		}
		f(b.a.Send.Data[from:to:to], result)
	}
}
