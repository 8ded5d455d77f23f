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

// maxStructure is the size in bytes of a structure up to which it is copied field by field.
// Larger ones have enough fields for a loop in each.
const maxStructure = 512

// whole copies count whole shapes of equal size. The order of the bytes is free, so loops may
// be exchanged.
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
