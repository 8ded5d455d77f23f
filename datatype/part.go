package datatype

// part is a range of the packed stream of a shape: from off on, as long as the caller says.
type part struct {
	shape
	addr uintptr // of displacement 0 of the shape
	off  int64   // in the packed stream of the shape
}

// part is the layout as one part, of which the packed stream begins at offset.
func (l *Layout) part(base uintptr, offset int64) part {
	return part{shape: l.root, addr: base + uintptr(l.origin), off: offset}
}

// narrow goes down to the smallest part that holds n bytes from off on.
func (p *part) narrow(words []uint64, n int64) {
	for n < p.size { // nothing in it holds all of it
		switch {
		case p.isLoop():
			i := p.off / p.unit
			if p.off-i*p.unit > p.unit-n {
				return
			}
			p.addr += uintptr(i * p.stride)
			p.off -= i * p.unit
			p.shape = p.round(words)
		case p.isList():
			inner, start, disp := p.entry(words, p.find(words, p.off))
			if p.off-start > inner.size-n {
				return
			}
			p.addr += uintptr(disp)
			p.off -= start
			p.shape = inner
		default:
			return
		}
	}
}

// index is that of the round or entry that holds off.
func (p *part) index(words []uint64) int64 {
	if p.isLoop() {
		return p.off / p.unit
	}
	return p.find(words, p.off)
}

// child returns the part of the i-th round or entry, which holds off, from off on, and its
// length.
func (p *part) child(words []uint64, i int64) (inner part, rest int64) {
	if p.isLoop() {
		inner = part{p.round(words), p.addr + uintptr(i*p.stride), p.off - i*p.unit}
	} else {
		entry, start, disp := p.entry(words, i)
		inner = part{entry, p.addr + uintptr(disp), p.off - start}
	}
	return inner, inner.size - inner.off
}

// skip is how far off is from the start of a round of a loop.
func (p *part) skip() int64 {
	if p.off == 0 {
		return 0
	}
	return p.off % p.unit
}

// grain is the average size of the rounds or entries of a part.
func (p *part) grain() int64 {
	switch {
	case p.isLoop():
		return p.unit
	case p.isList():
		return p.size / p.count
	}
	return 0
}

// asLoop makes a loop with rounds of unit bytes of a run. It starts with the round that
// holds off, if the packed streams of both parts have a round start at skip bytes before
// off. A loop is cut in the same way.
func (p *part) asLoop(unit, skip int64) {
	if p.isRun() {
		p.addr += uintptr(p.off - skip)
		p.unit, p.stride, p.reference = unit, unit, 0
	} else if p.off != 0 {
		p.addr += uintptr(p.off / unit * p.stride)
	}
	p.off = skip
}
