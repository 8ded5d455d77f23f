package capi

import "github.com/gopvas/gopvas/comm"

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
