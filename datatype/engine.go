package datatype

// engine copies from layout to layout.
//
// It goes down both trees at once. It always has two parts, one of the destination and
// one of the source, that hold the same range of the packed stream. There are four cases:
//
//  1. Both are runs: one move.
//  2. Both are loops with rounds of equal size that begin at the same offsets, or one is and the other is a
//     run, which is a loop with rounds of any size: see rounds.
//  3. Both are lists with entries of equal size, or one is and the other is a
//     run: see fields.
//  4. Otherwise the coarser part is split into its rounds or entries, and each goes
//     down by itself.
//
// Layouts that are alike, and any layout and contiguous memory, never come to case 4.
type engine struct {
	to, from []uint64 // words of the two layouts
}

// copy moves n bytes between two parts.
func (e *engine) copy(d, s part, n int64) {
	if n <= 0 {
		return
	}
	d.narrow(e.to, n)
	s.narrow(e.from, n)
	switch {
	case d.isRun() && s.isRun():
		move(d.addr+uintptr(d.off), s.addr+uintptr(s.off), n)
	case d.isLoop() && s.isRun():
		e.rounds(d, s, n, d.unit, d.off%d.unit)
	case s.isLoop() && (d.isRun() || d.isLoop() && d.unit == s.unit && d.off%d.unit == s.off%s.unit):
		e.rounds(d, s, n, s.unit, s.off%s.unit)
	default:
		done := int64(0)
		if !d.isLoop() && !s.isLoop() {
			done = e.fields(d, s, n)
		}
		d.off += done
		s.off += done
		e.split(d, s, n-done)
	}
}

// split copies each round or entry of the coarser part by itself.
func (e *engine) split(d, s part, n int64) {
	if n <= 0 {
		return
	}
	bySource := s.grain() > d.grain()
	p, words := &d, e.to
	if bySource {
		p, words = &s, e.from
	}
	for i := p.index(words); n > 0; i++ {
		inner, k := p.child(words, i)
		k = min(k, n)
		if bySource {
			e.copy(d, inner, k)
		} else {
			e.copy(inner, s, k)
		}
		d.off += k
		s.off += k
		n -= k
	}
}

// rounds copies between two loops with rounds of unit bytes, or a loop and a run. skip is where
// in a round the range begins.
func (e *engine) rounds(d, s part, n, unit, skip int64) {
	d.asLoop(unit, skip)
	s.asLoop(unit, skip)
	in, out := d.round(e.to), s.round(e.from)
	if skip > 0 {
		k := min(unit-skip, n)
		e.copy(part{in, d.addr, skip}, part{out, s.addr, skip}, k)
		d.addr += uintptr(d.stride)
		s.addr += uintptr(s.stride)
		n -= k
	}
	full := n / unit
	e.whole(column{in, d.addr, d.stride}, column{out, s.addr, s.stride}, full)
	if rest := n - full*unit; rest > 0 {
		e.copy(part{in, d.addr + uintptr(full*d.stride), 0}, part{out, s.addr + uintptr(full*s.stride), 0}, rest)
	}
}

// fields copies between two lists, or a list and a run, entry by entry, as long as their
// entries have the same sizes. It returns how many bytes that were.
func (e *engine) fields(d, s part, n int64) (done int64) {
	i, j := int64(0), int64(0)
	if !d.isRun() {
		i = d.find(e.to, d.off)
	}
	if !s.isRun() {
		j = s.find(e.from, s.off)
	}
	for ; done < n; i, j = i+1, j+1 {
		var in, out part
		var k, l int64
		if !d.isRun() {
			in, k = d.child(e.to, i)
		}
		if !s.isRun() {
			out, l = s.child(e.from, j)
		}
		switch {
		case d.isRun():
			in, k = part{shape{size: out.size}, d.addr + uintptr(d.off-out.off), out.off}, l
		case s.isRun():
			out = part{shape{size: in.size}, s.addr + uintptr(s.off-in.off), in.off}
		case in.size != out.size || in.off != out.off:
			return done
		}
		k = min(k, n-done)
		if k == in.size && in.isRun() && out.isRun() {
			moveShort(in.addr, out.addr, k)
		} else {
			e.copy(in, out, k)
		}
		done += k
		d.off += k
		s.off += k
	}
	return done
}
