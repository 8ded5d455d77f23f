package capi

import (
	"math"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Functions that say where the memory of a call is. They fill in a coll.Buffer. Memory with gaps
// becomes parts: of the types of other members one member does not know (coll.Args.Mixed).

// ownMemory is memory that is one part.
func (p *Process) ownMemory(b *coll.Buffer, at Address, count int, t Type) error {
	o, err := p.messageType(t)
	if err != nil {
		return err
	}
	m, err := o.memory(at, count)
	b.Of, b.Data, b.Unit = o.element, m.Bytes, int(o.Size())
	if m.Layout != nil {
		b.Parts = []comm.Buffer{m}
	}
	return err
}

// blockMemory is memory of n blocks of count elements, one after the other.
func (p *Process) blockMemory(b *coll.Buffer, at Address, count int, t Type, n int) error {
	o, err := p.messageType(t)
	if err != nil {
		return err
	}
	if b.Block, err = o.bytesOf(count); err != nil {
		return err
	}
	b.Of = o.element
	if !o.dense {
		b.Parts, err = p.blockParts(at, count, t, n)
		return err
	}
	all, err := product(count, n)
	if err != nil {
		return err
	}
	m, err := o.memory(at, all)
	b.Data, b.Unit = m.Bytes, int(o.Size())
	return err
}

// listMemory is memory of blocks whose lengths and places are given, in elements.
func (p *Process) listMemory(k *collective, b *coll.Buffer, at Address, counts, displs Ints, t Type, n int) error {
	o, err := p.messageType(t)
	if err != nil {
		return err
	}
	b.Of = o.element
	if o.dense && o.Size() > 0 {
		return denseList(k, b, o, at, counts, displs, n)
	}
	b.Parts, err = p.listParts(at, counts, displs, t, n)
	return err
}

// denseList is listMemory of a type without gaps. Displacements may be negative.
func denseList(k *collective, b *coll.Buffer, o *typeObject, at Address, counts, displs Ints, n int) error {
	lengths, places := counts.CopyTo(k.list(n)), displs.CopyTo(k.list(n))
	lowest, end := math.MaxInt, math.MinInt
	for i, count := range lengths {
		switch {
		case count < 0:
			return fail(ERR_COUNT, "the count of block %d is %d; it must not be negative", i, count)
		case places[i] > math.MaxInt-count:
			return fail(ERR_ARG, "block %d of %d elements ends out of the range of 64 bits", i, count)
		case count > 0:
			lowest, end = min(lowest, places[i]), max(end, places[i]+count)
		}
	}
	switch {
	case lowest > end:
		lowest, end = 0, 0
	case end-lowest < 0:
		return fail(ERR_ARG, "the blocks lie farther apart than 64 bits can say: from element %d to %d", lowest, end)
	}
	for i := range places {
		if places[i] -= lowest; lengths[i] == 0 {
			places[i] = 0
		}
	}
	m, err := o.memoryFrom(at, lowest, end-lowest)
	b.Data, b.Counts, b.Displs, b.Unit = m.Bytes, lengths, places, int(o.Size())
	return err
}
