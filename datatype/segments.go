package datatype

// Segment is a piece of memory without gaps, as in struct iovec.
type Segment struct {
	Addr uintptr
	Len  uint64
}

// Segments lists where the packed stream lies from offset on, until segs is full or the
// stream ends. base is the address of displacement zero. It returns how many segments it
// has filled, and how many bytes they hold.
func Segments(segs []Segment, l *Layout, base uintptr, offset int64) (count int, bytes int64) {
	w := lister{words: l.words, segs: segs}
	w.list(l.part(base, offset), l.clamp(offset, l.Size()))
	return w.n, w.bytes
}

type lister struct {
	words []uint64
	segs  []Segment
	n     int
	bytes int64
}

// list adds the segments of n bytes. It returns false if segs is full.
func (w *lister) list(p part, n int64) bool {
	if n <= 0 {
		return true
	}
	p.narrow(w.words, n)
	switch {
	case p.isRun():
		return w.add(p.addr+uintptr(p.off), n)
	case p.isLoop() && p.reference == 0:
		return w.runs(&p, n)
	}
	for i := p.index(w.words); n > 0; i++ {
		inner, k := p.child(w.words, i)
		k = min(k, n)
		if !w.list(inner, k) {
			return false
		}
		p.off += k
		n -= k
	}
	return true
}

// runs adds the segments of n bytes of a loop over runs.
func (w *lister) runs(p *part, n int64) bool {
	i := p.off / p.unit
	addr, off := p.addr+uintptr(i*p.stride), p.off-i*p.unit
	for n > 0 {
		k := min(p.unit-off, n)
		if !w.add(addr+uintptr(off), k) {
			return false
		}
		addr += uintptr(p.stride)
		off = 0
		n -= k
	}
	return true
}

// add adds a segment, or makes the last one longer.
func (w *lister) add(addr uintptr, n int64) bool {
	if w.n > 0 {
		if last := &w.segs[w.n-1]; last.Addr+uintptr(last.Len) == addr {
			last.Len += uint64(n)
			w.bytes += n
			return true
		}
	}
	if w.n == len(w.segs) {
		return false
	}
	w.segs[w.n] = Segment{addr, uint64(n)}
	w.n++
	w.bytes += n
	return true
}
