package capi

import (
	"math"

	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/comm"
)

// area is memory of a collective operation, as package coll takes it. Memory with gaps
// passes through a copy in one piece: one member can not know what the types of others are.
type area struct {
	coll.Buffer
	parts []comm.Buffer // the memory, if Buffer is a copy of it: one part, or one a block
}

// ownArea is memory that is one part.
func (p *Process) ownArea(at Address, count int, t Type) (area, error) {
	b, err := p.buffer(at, count, t)
	if err != nil || b.Layout == nil {
		return area{Buffer: coll.Buffer{Data: b.Bytes, Unit: b.Len() / max(count, 1)}}, err
	}
	return area{coll.Buffer{Data: make([]byte, b.Len())}, []comm.Buffer{b}}, nil
}

// blockArea is memory of n blocks of count elements, one after the other.
func (p *Process) blockArea(at Address, count int, t Type, n int) (area, error) {
	o, err := p.messageType(t)
	if err != nil {
		return area{}, err
	}
	block, err := o.bytesOf(count)
	if err != nil {
		return area{}, err
	}
	if o.dense {
		b, err := o.memory(at, count*n)
		return area{Buffer: coll.Buffer{Data: b.Bytes, Block: block, Unit: int(o.Size())}}, err
	}
	parts, err := p.blockParts(at, count, t, n)
	return area{coll.Buffer{Data: make([]byte, n*block), Block: block}, parts}, err
}

// listArea is memory of blocks whose lengths and places are given, in elements.
func (p *Process) listArea(at Address, counts, displs Ints, t Type, n int) (area, error) {
	o, err := p.messageType(t)
	if err != nil {
		return area{}, err
	}
	if o.dense && o.Size() > 0 {
		return denseList(o, at, counts, displs, n)
	}
	parts, err := p.listParts(at, counts, displs, t, n)
	return listOf(parts), err
}

// denseList is listArea of a type without gaps. Displacements may be negative.
func denseList(o *typeObject, at Address, counts, displs Ints, n int) (area, error) {
	lengths, places := counts.Copy(n), displs.Copy(n)
	lowest, end := math.MaxInt, math.MinInt
	for i, count := range lengths {
		if count < 0 {
			return area{}, fail(ERR_COUNT, "the count of block %d is %d; it must not be negative", i, count)
		}
		if count > 0 {
			lowest, end = min(lowest, places[i]), max(end, places[i]+count)
		}
	}
	if lowest > end {
		lowest, end = 0, 0
	}
	for i := range places {
		if places[i] -= lowest; lengths[i] == 0 {
			places[i] = 0
		}
	}
	size := int(o.Size())
	b, err := o.memory(at+Address(lowest*size), end-lowest)
	return area{Buffer: coll.Buffer{Data: b.Bytes, Counts: lengths, Displs: places, Unit: size}}, err
}

// typedArea is memory of blocks each of which has a type of its own, and a displacement in
// bytes.
func (p *Process) typedArea(at Address, counts, displs Ints, types Handles[Type], n int) (area, error) {
	parts, err := p.typedParts(at, counts, displs, types, n)
	if err != nil {
		return area{}, err
	}
	return listOf(parts), nil
}

// listOf is the area of parts of any lengths.
func listOf(parts []comm.Buffer) area {
	a := area{coll.Buffer{Counts: make([]int, len(parts)), Displs: make([]int, len(parts)), Unit: 1}, parts}
	total := 0
	for i := range parts {
		a.Counts[i], a.Displs[i] = parts[i].Len(), total
		total += parts[i].Len()
	}
	a.Data = make([]byte, total)
	return a
}

// copies calls f for each part and its copy.
func (a *area) copies(f func(part *comm.Buffer, copied []byte)) {
	if len(a.parts) == 1 {
		f(&a.parts[0], a.Data)
		return
	}
	for i := range a.parts {
		f(&a.parts[i], a.Part(i))
	}
}

// pack fills the copy from the memory.
func (a *area) pack() { a.copies(func(part *comm.Buffer, copied []byte) { part.Pack(copied, 0) }) }

// unpack fills the memory from the copy.
func (a *area) unpack() { a.copies(func(part *comm.Buffer, copied []byte) { part.Unpack(copied, 0) }) }

// hooks have what is sent packed before, and what is received unpacked after. kept says that
// what is received may be left as it is, or is sent too.
func hooks(send, recv *area, kept bool) (h coll.Hooks) {
	packs := send != nil && send.parts != nil
	unpacks := recv != nil && recv.parts != nil
	if packs || unpacks && kept {
		h.Before = func() {
			if packs {
				send.pack()
			}
			if unpacks && kept {
				recv.pack()
			}
		}
	}
	if unpacks {
		h.After = recv.unpack
	}
	return h
}
