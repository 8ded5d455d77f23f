package datatype

// engine copies from layout to layout.
//
// It goes down both trees at once. It always has two parts, one of the destination and one
// of the source, that hold the same range of the packed stream. There are four cases:
//
//  1. Both are runs: one move.
//  2. Both are loops whose rounds have equal sizes and begin at the same offsets. One of
//     them may be a run, which is a loop with rounds of any size. See rounds.
//  3. Both are lists whose entries have equal sizes. One of them may be a run. See fields.
//  4. Otherwise the engine splits the coarser part into its rounds or entries, and goes
//     down each by itself.
//
// Layouts that are alike, and any layout and contiguous memory, never come to case 4.
type engine struct {
	to, from []uint64 // words of the two layouts
}

// copy copies n bytes between two parts. It changes the parts, as the other functions here do.
func (e *engine) copy(d, s *part, n int64) {
	if n <= 0 {
		return
	}
	d.narrow(e.to, n)
	s.narrow(e.from, n)
	switch {
	case d.isRun() && s.isRun():
		move(d.addr+uintptr(d.off), s.addr+uintptr(s.off), n)
	case d.isLoop() && s.isRun():
		e.rounds(d, s, n, d.unit, d.skip())
	case s.isLoop() && (d.isRun() || d.isLoop() && d.unit == s.unit && d.skip() == s.skip()):
		e.rounds(d, s, n, s.unit, s.skip())
	default:
		if !d.isLoop() && !s.isLoop() {
			n -= e.fields(d, s, n)
		}
		e.split(d, s, n)
	}
}

// split copies each round or entry of the coarser part by itself.
func (e *engine) split(d, s *part, n int64) {
	if n <= 0 {
		return
	}
	bySource := s.grain() > d.grain()
	p, words := d, e.to
	if bySource {
		p, words = s, e.from
	}
	var to, from part // declared in the loop they would be on the heap
	for i := p.index(words); n > 0; i++ {
		inner, k := p.child(words, i)
		k = min(k, n)
		to, from = *d, *s
		if bySource {
			from = inner
		} else {
			to = inner
		}
		e.copy(&to, &from, k)
		d.off += k
		s.off += k
		n -= k
	}
}

// rounds copies between two loops with rounds of unit bytes, or a loop and a run. The range
// begins skip bytes behind the start of a round.
func (e *engine) rounds(d, s *part, n, unit, skip int64) {
	d.asLoop(unit, skip)
	s.asLoop(unit, skip)
	if skip > 0 {
		k := min(unit-skip, n)
		e.round(d, s, 0, skip, k)
		d.addr += uintptr(d.stride)
		s.addr += uintptr(s.stride)
		n -= k
	}
	full := n / unit
	if d.reference == 0 && s.reference == 0 {
		strided(d.addr, d.stride, s.addr, s.stride, full, unit)
	} else {
		e.whole(&column{d.round(e.to), d.addr, d.stride}, &column{s.round(e.from), s.addr, s.stride}, full)
	}
	e.round(d, s, full, 0, n-full*unit)
}

// round copies n bytes from off on of the i-th rounds of two loops.
func (e *engine) round(d, s *part, i, off, n int64) {
	if n > 0 {
		to := part{d.round(e.to), d.addr + uintptr(i*d.stride), off}
		from := part{s.round(e.from), s.addr + uintptr(i*s.stride), off}
		e.copy(&to, &from, n)
	}
}

// fields copies between two lists, or a list and a run, entry by entry, as long as their
// entries have the same sizes. It moves both parts behind the bytes that it has copied, and
// returns their number.
func (e *engine) fields(d, s *part, n int64) (done int64) {
	i, j := int64(0), int64(0)
	if !d.isRun() {
		i = d.find(e.to, d.off)
	}
	if !s.isRun() {
		j = s.find(e.from, s.off)
	}
	var in, out part
	for done < n {
		if k, m := e.blocks(d, s, i, j, n-done); k > 0 {
			i, j = i+k, j+k
			done += m
			d.off += m
			s.off += m
			continue
		}
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
		e.copy(&in, &out, k)
		i, j = i+1, j+1
		done += k
		d.off += k
		s.off += k
	}
	return done
}
