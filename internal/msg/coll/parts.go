package coll

import (
	"errors"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Buffers with layouts. An algorithm that takes them (see algorithm.layouts) reads and
// writes them where they lie. For the others, which are for short blocks or send them
// through third members, they pass through memory in one piece.

var errParts = errors.New("operators take elements in one piece: pack them, or receive into a slice")

// checkParts returns an error if the call cannot have parts, or has none where one is needed.
func (a *Args) checkParts() error {
	if !a.typed() {
		return nil
	}
	if a.Kind.reduces() {
		return errParts
	}
	for _, b := range []*Buffer{&a.Send, &a.Recv} {
		if b.typed() && len(b.Parts) == 0 {
			return &fault.BufferError{What: "number of parts", Have: 0, Need: 1}
		}
	}
	return nil
}

// takes tells whether the algorithm takes the parts of a call. At a board the members tell one
// another what they have. Both ends of a message in a graph must know that it is not cut.
func (l *algorithm) takes(a *Args, board bool) bool { return l.layouts && (board || !a.Mixed) }

// stage replaces buffers with parts by others in one piece. pack is due before anything is
// read, unpack when all is received.
func (a *Args) stage(receives bool) (pack, unpack func()) {
	send, recv := a.Send.Parts, a.Recv.Parts
	shared := a.Kind == Bcast && send != nil
	if send != nil {
		a.Send.stage(a.Irregular)
	}
	switch {
	case shared:
		a.Recv = a.Send
	case recv != nil:
		a.Recv.stage(a.Irregular)
	}
	a.InPlace = false // what is sent has a copy now
	out, in := a.Send, a.Recv
	pack = func() {
		for i := range send {
			send[i].Pack(out.stagedPart(i, len(send)), 0)
		}
	}
	unpack = func() {
		for i := range recv {
			if receives {
				recv[i].Unpack(in.stagedPart(i, len(recv)), 0)
			}
		}
	}
	return pack, unpack
}

// stage makes memory in one piece for the parts.
func (b *Buffer) stage(irregular bool) {
	b.flatten(false)
	if !irregular {
		b.Counts, b.Displs = nil, nil
	}
}

// stagedPart returns the memory for one of the parts.
func (b *Buffer) stagedPart(i, parts int) []byte {
	if parts == 1 {
		return b.Data
	}
	return b.Part(i)
}

// receives tells whether this member gets anything.
func (t *Team) receives(a *Args) bool {
	switch a.Kind {
	case Bcast:
		return t.Rank != a.Root
	case Gather:
		return t.Rank == a.Root
	}
	return true
}

// then returns a function that calls two, either of which may be nil.
func then(f, g func()) func() {
	if f == nil {
		return g
	}
	return func() {
		f()
		if g != nil {
			g()
		}
	}
}

// sendPart, recvPart and copyPart add the nodes for a block in whatever form. Both ends of a
// block cut it into the same pieces: so none is cut if any block of the call may have a
// layout, on whatever member (see builder.uncut).

func (b *builder) sendPart(part btl.Buffer, to int, after ...cad.Node) cad.Node {
	if !b.uncut {
		return b.sendBlock(part.Bytes, to, after...)
	}
	return b.link(b.g.SendBuffer(part, b.member(to)), after)
}

func (b *builder) recvPart(part btl.Buffer, from int, after ...cad.Node) cad.Node {
	if !b.uncut {
		return b.recvBlock(part.Bytes, from, after...)
	}
	return b.link(b.g.RecvBuffer(part, b.member(from)), after)
}

func (b *builder) copyPart(to, from btl.Buffer, after ...cad.Node) cad.Node {
	switch {
	case to.Layout == nil && from.Layout == nil:
		return b.copyBlock(to.Bytes, from.Bytes, after...)
	case from.Len() == 0 || to.Layout == from.Layout && to.Base == from.Base:
		return b.join(after) // in place
	}
	return b.link(b.g.CopyBuffer(to, from), after)
}

// copyFirst adds the copy of what is sent from the place of the result.
func (b *builder) copyFirst() {
	a := &b.a
	if !a.typed() {
		a.Send.Data = make([]byte, len(a.Send.Data))
		b.first = b.copyBlock(a.Send.Data, a.Recv.Data[:len(a.Send.Data)])
		return
	}
	a.Send.flatten(false)
	var copies []cad.Node
	for i := range a.Recv.Parts {
		copies = append(copies, b.copyPart(a.Send.PartOf(i), a.Recv.Parts[i]))
	}
	b.first = b.join(copies)
}
