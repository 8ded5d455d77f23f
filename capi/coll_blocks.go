package capi

import "github.com/gopvas/gopvas/comm"

// blockList is how the blocks of a call lie: in blocks of count elements, or where counts and
// displs say.
type blockList struct {
	at             Address
	count          int
	counts, displs Ints
	listed         bool
	t              Type
}

func regular(at Address, count int, t Type) blockList { return blockList{at: at, count: count, t: t} }

func listed(at Address, counts, displs Ints, t Type) blockList {
	return blockList{at: at, counts: counts, displs: displs, listed: true, t: t}
}

// area returns n blocks as an area.
func (l *blockList) area(p *Process, n int) (area, error) {
	if l.listed {
		return p.listArea(l.at, l.counts, l.displs, l.t, n)
	}
	return p.blockArea(l.at, l.count, l.t, n)
}

// parts returns n blocks as a list.
func (l *blockList) parts(p *Process, n int) ([]comm.Buffer, error) {
	if l.listed {
		return p.listParts(l.at, l.counts, l.displs, l.t, n)
	}
	return p.blockParts(l.at, l.count, l.t, n)
}

// blockParts are n blocks of count elements, one after the other.
func (p *Process) blockParts(at Address, count int, t Type, n int) (parts []comm.Buffer, err error) {
	o, err := p.messageType(t)
	if err != nil {
		return nil, err
	}
	_, extent := o.Extent()
	parts = make([]comm.Buffer, n)
	for i := range parts {
		if parts[i], err = o.memory(at+Address(int64(i*count)*extent), count); err != nil {
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
	_, extent := o.Extent()
	parts = make([]comm.Buffer, n)
	for i := range parts {
		if parts[i], err = o.memory(at+Address(int64(displs.At(i))*extent), counts.At(i)); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// typedParts are the blocks of typedArea.
func (p *Process) typedParts(at Address, counts, displs Ints, types Handles[Type], n int) (parts []comm.Buffer, err error) {
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
