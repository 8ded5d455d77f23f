package file

// cover is a set of bytes of a window, one bit for each.
type cover struct{ words []uint64 }

// reset makes it the empty set of bytes of a window of some length.
func (c *cover) reset(bytes int) {
	n := (bytes + 63) / 64
	if cap(c.words) < n {
		c.words = make([]uint64, n)
		return
	}
	c.words = c.words[:n]
	clear(c.words)
}

// add adds n bytes from one on. It returns false if one of them is in the set already.
func (c *cover) add(first, n int) bool {
	for n > 0 {
		bit := first % 64
		k := min(64-bit, n)
		mask := ^uint64(0) >> (64 - k) << bit
		word := &c.words[first/64]
		if *word&mask != 0 {
			return false
		}
		*word |= mask
		first, n = first+k, n-k
	}
	return true
}
