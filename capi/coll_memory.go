package capi

import (
	"math"

	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/comm"
)

// Memory with gaps passes through a copy in one piece: one member can not know what the types of
// others are. Functions that say where memory is fill in a coll.Buffer. They return the parts with
// gaps that the buffer is a copy of, or nil.

// ownMemory is memory that is one part.
func (p *Process) ownMemory(b *coll.Buffer, at Address, count int, t Type) (parts []comm.Buffer, err error) {
	o, err := p.messageType(t)
	if err != nil {
		return nil, err
	}
	b.Of = o.element
	m, err := o.memory(at, count)
	if err != nil || m.Layout == nil {
		b.Data, b.Unit = m.Bytes, int(o.Size())
		return nil, err
	}
	b.Data = make([]byte, m.Len())
	return []comm.Buffer{m}, nil
}

// blockMemory is memory of n blocks of count elements, one after the other.
func (p *Process) blockMemory(b *coll.Buffer, at Address, count int, t Type, n int) (parts []comm.Buffer, err error) {
	o, err := p.messageType(t)
	if err != nil {
		return nil, err
	}
	if b.Block, err = o.bytesOf(count); err != nil {
		return nil, err
	}
	b.Of = o.element
	if o.dense {
		m, err := o.memory(at, count*n)
		b.Data, b.Unit = m.Bytes, int(o.Size())
		return nil, err
	}
	if parts, err = p.blockParts(at, count, t, n); err == nil {
		b.Data = make([]byte, n*b.Block)
	}
	return parts, err
}

// listMemory is memory of blocks whose lengths and places are given, in elements.
func (p *Process) listMemory(k *collective, b *coll.Buffer, at Address, counts, displs Ints, t Type, n int) (parts []comm.Buffer, err error) {
	o, err := p.messageType(t)
	if err != nil {
		return nil, err
	}
	b.Of = o.element
	if o.dense && o.Size() > 0 {
		return nil, denseList(k, b, o, at, counts, displs, n)
	}
	if parts, err = p.listParts(at, counts, displs, t, n); err == nil {
		copyOf(b, parts)
	}
	return parts, err
}

// denseList is listMemory of a type without gaps. Displacements may be negative.
func denseList(k *collective, b *coll.Buffer, o *typeObject, at Address, counts, displs Ints, n int) error {
	lengths, places := counts.CopyTo(k.list(n)), displs.CopyTo(k.list(n))
	lowest, end := math.MaxInt, math.MinInt
	for i, count := range lengths {
		if count < 0 {
			return fail(ERR_COUNT, "the count of block %d is %d; it must not be negative", i, count)
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
	m, err := o.memory(at+Address(lowest*size), end-lowest)
	b.Data, b.Counts, b.Displs, b.Unit = m.Bytes, lengths, places, size
	return err
}

// typedMemory is memory of blocks each of which has a type of its own, and a displacement in
// bytes.
func (p *Process) typedMemory(b *coll.Buffer, at Address, counts, displs Ints, types Handles[Type], n int) (parts []comm.Buffer, err error) {
	if parts, err = p.typedParts(at, counts, displs, types, n); err == nil {
		copyOf(b, parts)
	}
	return parts, err
}

// copyOf makes a buffer for a copy of parts of any lengths.
func copyOf(b *coll.Buffer, parts []comm.Buffer) {
	b.Counts, b.Displs, b.Unit = make([]int, len(parts)), make([]int, len(parts)), 1
	total := 0
	for i := range parts {
		b.Counts[i], b.Displs[i] = parts[i].Len(), total
		total += parts[i].Len()
	}
	b.Data = make([]byte, total)
}

// area is a copy of parts with gaps.
type area struct {
	coll.Buffer
	parts []comm.Buffer // one, or one a block; nil: the buffer is no copy
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

// staged has what is sent packed before, and what is received unpacked after. received says that
// what is received may be left as it is, or is sent too.
func (k *collective) staged(send, recv []comm.Buffer, received bool) {
	if send != nil || recv != nil {
		k.args.Hooks = hooks(&area{k.args.Send, send}, &area{k.args.Recv, recv}, received)
	}
}

func hooks(send, recv *area, received bool) (h coll.Hooks) {
	packs, unpacks := send.parts != nil, recv.parts != nil
	if packs || unpacks && received {
		h.Before = func() {
			if packs {
				send.pack()
			}
			if unpacks && received {
				recv.pack()
			}
		}
	}
	if unpacks {
		h.After = recv.unpack
	}
	return h
}
