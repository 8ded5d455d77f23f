package datatype

// column is many equal shapes, one stride apart.
type column struct {
	shape
	addr   uintptr
	stride int64
}

// at is the i-th shape.
func (c *column) at(i int64) uintptr { return c.addr + uintptr(i*c.stride) }

// inner is the column of the rounds of the first shape, which is a loop, or a run that is
// taken for one.
func (c *column) inner(words []uint64, unit int64) column {
	if c.isRun() {
		return column{shape{size: unit}, c.addr, unit}
	}
	return column{c.round(words), c.addr, c.shape.stride}
}

// field is the column of the i-th entry of each shape, which is a list. If it is a run, it
// is the column of the size bytes from start on.
func (c *column) field(words []uint64, i, start, size int64) column {
	if c.isRun() {
		return column{shape{size: size}, c.addr + uintptr(start), c.stride}
	}
	entry, _, disp := c.entry(words, i)
	return column{entry, c.addr + uintptr(disp), c.stride}
}

// maxStructure is the size in bytes of a structure up to which it is copied field by field.
// Larger ones have enough fields for a loop in each.
const maxStructure = 512

// whole copies count whole shapes of equal size. Nothing is said about the order in which
// the bytes are copied, so loops may be exchanged.
func (e *engine) whole(d, s *column, count int64) {
	switch {
	case count <= 0:
	case d.isRun() && s.isRun():
		strided(d.addr, d.stride, s.addr, s.stride, count, d.size)
	case d.isLoop() && (s.isRun() || s.isLoop() && s.unit == d.unit):
		e.nested(d, s, count, d.count, d.unit)
	case s.isLoop() && d.isRun():
		e.nested(d, s, count, s.count, s.unit)
	case d.size <= maxStructure && e.records(d, s, count):
	case d.size <= maxStructure && e.alike(d, s):
		for i := int64(0); i < count; i += recordRows {
			to, from := column{d.shape, d.at(i), d.stride}, column{s.shape, s.at(i), s.stride}
			e.structures(&to, &from, min(count-i, recordRows))
		}
	default:
		for i := range count {
			e.copy(&part{d.shape, d.at(i), 0}, &part{s.shape, s.at(i), 0}, d.size)
		}
	}
}

// nested copies count loops of rounds of unit bytes.
func (e *engine) nested(d, s *column, count, rounds, unit int64) {
	in, out := d.inner(e.to, unit), s.inner(e.from, unit)
	if in.isRun() && out.isRun() {
		plane(
			grid{d.addr, d.stride, in.stride},
			grid{s.addr, s.stride, out.stride}, count, rounds, unit)
		return
	}
	for i := range count {
		in.addr, out.addr = d.at(i), s.at(i)
		e.whole(&in, &out, rounds)
	}
}

// structures copies count lists, one entry of all of them after the other.
func (e *engine) structures(d, s *column, count int64) {
	list, words := d.shape, e.to
	if d.isRun() {
		list, words = s.shape, e.from
	}
	for i := range list.count {
		inner, start, _ := list.entry(words, i)
		in, out := d.field(e.to, i, start, inner.size), s.field(e.from, i, start, inner.size)
		e.whole(&in, &out, count)
	}
}

// alike tells whether both are lists with entries of the same sizes, or one is a list and
// the other a run.
func (e *engine) alike(d, s *column) bool {
	if d.isLoop() || s.isLoop() || d.isRun() && s.isRun() {
		return false
	}
	if d.isRun() || s.isRun() {
		return true
	}
	if d.count != s.count {
		return false
	}
	for i := range d.count {
		_, start, _ := d.entry(e.to, i)
		if _, other, _ := s.entry(e.from, i); start != other {
			return false
		}
	}
	return true
}
