package datatype

// CopyPart copies the i-th of k parts of the first n bytes of one packed stream to another. Both
// streams have at least n bytes. Each byte is in one part, so ranks can copy different parts at
// the same time. If both layouts are the same columns of rows a part is a range of the rows, so
// that parts have few cache lines in common. Else it is a range of the streams.
func CopyPart(to *Layout, toBase uintptr, from *Layout, fromBase uintptr, n, i, k int64) {
	if n == to.Size() && n == from.Size() {
		e := engine{to: to.words, from: from.words}
		d, s := to.part(toBase, 0), from.part(fromBase, 0)
		if e.rowsOfColumns(&d, &s, i, k) {
			return
		}
	}
	first, end := share(n, i, k), share(n, i+1, k)
	if i > 0 {
		first &^= cacheLine - 1
	}
	if i < k-1 {
		end &^= cacheLine - 1
	}
	Copy(to, toBase, from, fromBase, first, end-first)
}

// share is where the i-th of k equal parts of n things begins.
func share(n, i, k int64) int64 { return n/k*i + n%k*i/k }

// rowsOfColumns copies a part of the rows of two layouts that are the same columns: loops
// over equal loops over runs, of which the inner ones make the longer steps. It tells whether
// the layouts are that.
func (e *engine) rowsOfColumns(d, s *part, i, k int64) bool {
	if !d.isLoop() || !s.isLoop() || d.unit != s.unit {
		return false
	}
	in, out := d.round(e.to), s.round(e.from)
	if !in.isLoop() || !out.isLoop() || in.reference != 0 || out.reference != 0 || in.unit != out.unit {
		return false
	}
	to, from := grid{d.addr, d.stride, in.stride}, grid{s.addr, s.stride, out.stride}
	if !to.across() || !from.across() {
		return false
	}
	first, end := share(in.count, i, k), share(in.count, i+1, k)
	to.addr, from.addr = to.at(0, first), from.at(0, first)
	plane(to, from, d.count, end-first, in.unit)
	return true
}
