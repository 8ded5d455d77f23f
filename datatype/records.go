package datatype

// field is a run in each of many structures, at the same displacements in all of them.
type field struct {
	to, from uintptr
	size     int64
}

// Structures of up to maxFields runs are copied by a table of their fields, which is made once.
// recordRows structures are copied field by field before the next ones, so that they stay in
// the fastest cache.
const (
	maxFields  = 32
	recordRows = 64
)

// records copies count lists of runs to lists of equal runs, to runs, or from runs. It tells
// whether the shapes are that; if not, nothing is copied.
func (e *engine) records(d, s *column, count int64) bool {
	n := max(d.count, s.count)
	if n > maxFields || d.isLoop() || s.isLoop() || d.isList() && s.isList() && d.count != s.count {
		return false
	}
	var table [maxFields]field
	fields := table[:n]
	for i := range fields {
		if !e.field(&fields[i], d, s, int64(i)) {
			return false
		}
	}
	for i := int64(0); i < count; i += recordRows {
		to, from, rows := d.at(i), s.at(i), min(count-i, recordRows)
		for k := range fields {
			f := &fields[k]
			strided(to+f.to, d.stride, from+f.from, s.stride, rows, f.size)
		}
	}
	return true
}

// field looks up the i-th field of two columns. It tells whether there is such a field.
func (e *engine) field(f *field, d, s *column, i int64) bool {
	if s.isRun() {
		start, disp, size, ok := d.runAt(e.to, i)
		*f = field{uintptr(disp), uintptr(start), size}
		return ok
	}
	start, disp, size, ok := s.runAt(e.from, i)
	*f = field{uintptr(start), uintptr(disp), size}
	if d.isRun() || !ok {
		return ok
	}
	other, disp, _, ok := d.runAt(e.to, i)
	f.to = uintptr(disp)
	return ok && other == start
}

// runAt is the i-th entry of a list, if that is a run: where it begins in the packed stream
// and in memory, and its size.
func (s *shape) runAt(words []uint64, i int64) (start, disp, size int64, ok bool) {
	w := words[int64(s.reference)+listFirst+i*entryWords:]
	_ = w[entryWords]
	return int64(w[0]), int64(w[1]), int64(w[entryWords] - w[0]), w[2] == 0
}
