package coll

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Buffer is memory that a member sends or receives. Until the operation is over, other members
// may read it, if it is Send, or write it, if it is Recv.
type Buffer struct {
	Data  []byte
	Block int // length of each block in bytes, if Counts is nil

	// Counts and Displs have one entry for each member: length and start of its
	// block, in units of Unit bytes. Without them Unit is what errors count in, or 0.
	Counts, Displs []int
	Unit           int

	// Parts, if it is not nil, is the memory instead of all that: one part where the table
	// of Args says own, one for each member where it says blocks. Parts may have layouts.
	// Operations that reduce have none.
	Parts []btl.Buffer

	// Of is what the data consists of, if it is known: in a checked call all members agree
	// about it.
	Of datatype.Element
}

// elements is what the data consists of; 0: it is not known, or there is no data.
func (b *Buffer) elements() datatype.Element {
	if len(b.Data) == 0 && !b.typed() {
		return 0
	}
	return b.Of
}

// typed tells whether the buffer has parts.
func (b *Buffer) typed() bool { return b.Parts != nil }

// own returns the memory of a buffer that is one piece.
func (b *Buffer) own() btl.Buffer {
	if b.typed() {
		return b.Parts[0]
	}
	return btl.Buffer{Bytes: b.Data}
}

// Len returns the length of a buffer that is one piece.
func (b *Buffer) Len() int {
	if b.typed() {
		return b.Parts[0].Len()
	}
	return len(b.Data)
}

// each returns the length of the blocks of a regular call.
func (b *Buffer) each() int {
	if b.typed() {
		return b.Parts[0].Len()
	}
	return b.Block
}

// setOwn makes a buffer of one piece.
func (b *Buffer) setOwn(piece btl.Buffer) {
	if b.Data = piece.Bytes; piece.Layout != nil {
		b.Parts = []btl.Buffer{piece}
	}
}

// PartOf returns the block of a member, in whatever form.
func (b *Buffer) PartOf(member int) btl.Buffer {
	if b.typed() {
		return b.Parts[member]
	}
	return btl.Buffer{Bytes: b.Part(member)}
}

// block returns where the block of a member starts, and how long it is, in bytes; of a
// buffer without parts.
func (b *Buffer) block(member int) (start, length int) {
	if b.Counts == nil {
		return member * b.Block, b.Block
	}
	return b.Displs[member] * b.Unit, b.Counts[member] * b.Unit
}

// Part returns the block of a member.
func (b *Buffer) Part(member int) []byte {
	start, length := b.block(member)
	if length == 0 {
		return nil
	}
	return b.Data[start:][:length]
}

// longest returns the length of the longest of so many blocks.
func (b *Buffer) longest(members int) int {
	if b.typed() {
		most := 0
		for i := range b.Parts {
			most = max(most, b.Parts[i].Len())
		}
		return most
	}
	if b.Counts == nil {
		return b.Block
	}
	most := 0
	for _, n := range b.Counts[:members] {
		most = max(most, n)
	}
	return most * b.Unit
}

// end returns where the last block of so many ends.
func (b *Buffer) end(members int) int {
	if b.Counts == nil {
		return members * b.Block
	}
	most := 0
	for i := range min(members, len(b.Counts), len(b.Displs)) { // Check says if there are fewer
		start, length := b.block(i)
		most = max(most, start+length)
	}
	return most
}

// Check returns an error unless the blocks of all members lie within the data.
func (b *Buffer) Check(what string, members int) error {
	if b.typed() {
		if len(b.Parts) != members {
			return &fault.BufferError{What: "number of parts of the " + what, Have: len(b.Parts), Need: members,
				Exact: true, Unit: "of them"}
		}
		return nil
	}
	if b.Counts == nil {
		return b.need(what, members*b.Block)
	}
	if len(b.Counts) != members || len(b.Displs) != members {
		return &fault.BufferError{What: "number of counts and displacements of the " + what,
			Have: min(len(b.Counts), len(b.Displs)), Need: members, Unit: "of them"}
	}
	for i, n := range b.Counts {
		// Dividing avoids an overflow of the product.
		room := len(b.Data) / max(b.Unit, 1)
		if at := b.Displs[i]; n < 0 || n > 0 && (at < 0 || at > room || n > room-at) {
			return &fault.BufferError{What: what, Have: len(b.Data), Need: -1, Element: b.Unit}
		}
	}
	return nil
}

// fits is Check for a buffer of which nothing is to be left over.
func (b *Buffer) fits(what string, members int) error {
	if n := members * b.Block; !b.typed() && b.Counts == nil && len(b.Data) > n {
		return &fault.BufferError{What: what, Have: len(b.Data), Need: n, Element: b.Unit}
	}
	return b.Check(what, members)
}

// need returns an error if the data is shorter than so many bytes.
func (b *Buffer) need(what string, bytes int) error {
	if len(b.Data) < bytes {
		return &fault.BufferError{What: what, Have: len(b.Data), Need: bytes, Element: b.Unit}
	}
	return nil
}

// flatten replaces the parts by one piece of memory, with what is in them if it is to be
// sent.
func (b *Buffer) flatten(sent bool) {
	parts := b.Parts
	b.Block = parts[0].Len() // in a regular call
	b.Counts, b.Displs, b.Unit, b.Parts = make([]int, len(parts)), make([]int, len(parts)), 1, nil
	total := 0
	for i := range parts {
		b.Counts[i], b.Displs[i] = parts[i].Len(), total
		total += parts[i].Len()
	}
	b.Data = make([]byte, total)
	for i := range parts {
		if sent {
			parts[i].Pack(b.Part(i), 0)
		}
	}
}
