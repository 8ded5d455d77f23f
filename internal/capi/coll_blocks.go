package capi

import (
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// blockList is how the blocks of a call lie: in blocks of count elements, or where counts and
// displs say, of one type or of a type each.
type blockList struct {
	at             Address
	count          int
	counts, displs Ints
	t              Type
	types          Handles[Type]
	form           listForm
}

type listForm uint8

const (
	regularForm listForm = iota
	listedForm
	typedForm
)

func regular(at Address, count int, t Type) blockList { return blockList{at: at, count: count, t: t} }

func listed(at Address, counts, displs Ints, t Type) blockList {
	return blockList{at: at, counts: counts, displs: displs, t: t, form: listedForm}
}

func typed(at Address, counts, displs Ints, types Handles[Type]) blockList {
	return blockList{at: at, counts: counts, displs: displs, types: types, form: typedForm}
}

// irregular tells whether the blocks may differ in length.
func (l *blockList) irregular() bool { return l.form != regularForm }

// given returns an error if an array of the list is a null pointer. There are n blocks.
func (l *blockList) given(n int) error {
	switch {
	case l.form == regularForm || n == 0:
	case l.counts.addr < firstPage:
		return noArray("counts")
	case l.displs.addr < firstPage:
		return noArray("displacements")
	case l.form == typedForm && l.types.addr < firstPage:
		return noArray("datatypes")
	}
	return nil
}

func noArray(of string) error {
	return fail(ERR_ARG, "the array of %s is a null pointer: pass memory that MPI can read", of)
}

// memory says where n blocks are: see coll_memory.go.
func (l *blockList) memory(p *Process, k *collective, b *coll.Buffer, n int) (err error) {
	if err := l.given(n); err != nil {
		return err
	}
	switch l.form {
	case listedForm:
		return p.listMemory(k, b, l.at, l.counts, l.displs, l.t, n)
	case typedForm:
		b.Parts, err = p.typedParts(l.at, l.counts, l.displs, l.types, n)
		return err
	}
	return p.blockMemory(b, l.at, l.count, l.t, n)
}

// takesAliases: Open MPI lets a program send from the very place where the result has what it sends, in place of
// MPI_IN_PLACE. Programs that distributions have built for it do, and the result is what they mean.
const takesAliases = handlesAreObjects

// holds tells whether the memory that a rank sends from is the place of its own block in the result.
func (l *blockList) holds(p *Process, at Address, rank int) bool {
	if !takesAliases || l.form == typedForm {
		return false
	}
	o, err := p.messageType(l.t)
	if err != nil {
		return false // whoever looks for the memory says so
	}
	place := rank * l.count
	if l.form == listedForm {
		if l.displs.addr < firstPage {
			return false
		}
		place = l.displs.At(rank)
	}
	_, extent := o.Extent()
	return at == l.at+Address(place*int(extent))
}

// parts returns n blocks as a list.
func (l *blockList) parts(p *Process, n int) ([]comm.Buffer, error) {
	if err := l.given(n); err != nil {
		return nil, err
	}
	switch l.form {
	case listedForm:
		return p.listParts(l.at, l.counts, l.displs, l.t, n)
	case typedForm:
		return p.typedParts(l.at, l.counts, l.displs, l.types, n)
	}
	return p.blockParts(l.at, l.count, l.t, n)
}

// blockParts are n blocks of count elements, one after the other.
func (p *Process) blockParts(at Address, count int, t Type, n int) (parts []comm.Buffer, err error) {
	o, err := p.messageType(t)
	if err != nil {
		return nil, err
	}
	if _, err := product(n, count); err != nil {
		return nil, err
	}
	parts = make([]comm.Buffer, n)
	for i := range parts {
		if parts[i], err = o.memoryFrom(at, i*count, count); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// listParts are blocks whose lengths and places are given, in elements.
func (p *Process) listParts(at Address, counts, displs Ints, t Type, n int) (parts []comm.Buffer, err error) {
	o, err := p.messageType(t)
	if err != nil {
		return nil, err
	}
	parts = make([]comm.Buffer, n)
	for i := range parts {
		if parts[i], err = o.memoryFrom(at, displs.At(i), counts.At(i)); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// typedParts are blocks each of which has a type of its own, and a displacement in bytes.
func (p *Process) typedParts(at Address, counts, displs Ints, types Handles[Type],
	n int) (parts []comm.Buffer, err error) {
	parts = make([]comm.Buffer, n)
	for i := range parts {
		if counts.At(i) == 0 {
			continue // then the type may be any
		}
		if parts[i], err = p.buffer(at+Address(displs.At(i)), counts.At(i), types.At(i)); err != nil {
			return nil, err
		}
	}
	return parts, nil
}
