package datatype

// blocks copies whole entries of lists from the i-th of d and the j-th of s on, as long as
// they are runs of equal size and begin where the parts begin. One of the parts may be a
// run. It returns how many entries and bytes that were. It is the inner loop for indexed
// types.
func (e *engine) blocks(d, s *part, i, j, n int64) (entries, bytes int64) {
	switch {
	case s.isRun():
		return d.entriesAt(e.to, i).move(d.addr, s.addr+uintptr(s.off), d.off, n, false)
	case d.isRun():
		return s.entriesAt(e.from, j).move(s.addr, d.addr+uintptr(d.off), s.off, n, true)
	}
	return d.entriesAt(e.to, i).copy(s.entriesAt(e.from, j), d.addr, s.addr, d.off, s.off, n)
}

// blockList are entries of a list, and the end of the last one: see flat.go.
type blockList []uint64

func (p *part) entriesAt(words []uint64, i int64) blockList {
	first := p.reference + listFirst
	return words[first+uint64(i)*entryWords : first+uint64(p.count)*entryWords+1]
}

// block returns the displacement of the first entry, and its size if it is a run that
// starts at offset start of the packed stream and has n bytes at most, else 0.
func (b blockList) block(start, n int64) (disp, size int64) {
	if len(b) <= entryWords || b[2] != 0 || int64(b[0]) != start {
		return 0, 0
	}
	if size = int64(b[entryWords]) - start; size > n {
		return 0, 0
	}
	return int64(b[1]), size
}

// move copies between entries, at addr, and a run: to the run if pack is true.
func (b blockList) move(addr, run uintptr, start, n int64, pack bool) (entries, bytes int64) {
	for {
		disp, size := b.block(start+bytes, n-bytes)
		if size <= 0 {
			return entries, bytes
		}
		to, from := addr+uintptr(disp), run+uintptr(bytes)
		if pack {
			to, from = from, to
		}
		moveShort(to, from, size)
		b = b[entryWords:]
		bytes += size
		entries++
	}
}

// copy copies between the entries of two lists.
func (b blockList) copy(c blockList, to, from uintptr, start, other, n int64) (entries, bytes int64) {
	for {
		disp, size := b.block(start+bytes, n-bytes)
		source, same := c.block(other+bytes, n-bytes)
		if size <= 0 || size != same {
			return entries, bytes
		}
		moveShort(to+uintptr(disp), from+uintptr(source), size)
		b, c = b[entryWords:], c[entryWords:]
		bytes += size
		entries++
	}
}
