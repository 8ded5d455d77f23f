package datatype

import "fmt"

// checkFlat returns an error unless the words are a flat form: what the functions of this package
// rely on in one that another rank has written.
//
// A contiguous node is an error: a loop over runs that touch, or a list with two runs that
// touch. So every round of a loop has a gap, and Segments fills a segment for each round.
// Otherwise Segments might go through 2^60 rounds to fill one segment.
func checkFlat(f Flat) error {
	if len(f.words) < headerWords || f.words[wordMagic] != flatMagic || f.words[wordLength] != uint64(len(f.words)) {
		return corrupt("the header is damaged")
	}
	c := checker{words: f.words}
	if err := c.nodes(); err != nil {
		return err
	}
	return c.header(f)
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("no flat form: "+format, args...)
}

// seen has the properties of a checked node, as the type node has them.
type seen struct {
	size, lo, hi int64
	depth        int
}

type checker struct {
	words []uint64
	seen  map[uint64]seen
	x     exact
}

// nodes checks all nodes in their order: a node refers only to nodes before it.
func (c *checker) nodes() error {
	c.seen = map[uint64]seen{}
	for at := uint64(headerWords); at < uint64(len(c.words)); {
		var s seen
		var length uint64
		var ok bool
		switch left := c.words[at:]; {
		case left[0] == loopTag && len(left) >= loopWords:
			length = loopWords
			s, ok = c.loop(left)
		case left[0] == listTag && len(left) >= listWords && left[1] <= uint64(len(left)-listWords)/entryWords:
			length = listWords + entryWords*left[1]
			s, ok = c.list(left[listFirst:length])
		}
		if !ok || c.x.overflow || s.depth > maxDepth {
			return corrupt("the node at word %d is damaged", at)
		}
		c.seen[at] = s
		at += length
	}
	return nil
}

// child returns the node that a reference stands for, if it has the given size.
func (c *checker) child(reference uint64, size int64) (seen, bool) {
	if reference == 0 {
		return seen{size: size, hi: size}, size > 0
	}
	s, ok := c.seen[reference]
	return s, ok && s.size == size
}

func (c *checker) loop(w []uint64) (seen, bool) {
	size, count, stride := int64(w[1]), int64(w[2]), int64(w[3])
	inner, ok := c.child(w[4], size)
	if !ok || count < 2 || w[4] == 0 && stride == size {
		return seen{}, false
	}
	last := c.x.mul(count-1, stride)
	return seen{
		size:  c.x.mul(count, size),
		lo:    c.x.add(inner.lo, min(0, last)),
		hi:    c.x.add(inner.hi, max(0, last)),
		depth: inner.depth + 1,
	}, true
}

// list checks the entries and the size behind them.
func (c *checker) list(w []uint64) (seen, bool) {
	n := len(w) / entryWords
	if n < 2 || w[0] != 0 {
		return seen{}, false
	}
	all := seen{size: int64(w[n*entryWords])}
	var last []uint64
	for i := range n {
		start, disp, next := int64(w[0]), int64(w[1]), int64(w[entryWords])
		if next <= start {
			return seen{}, false
		}
		entry, ok := c.child(w[2], next-start)
		if !ok || i > 0 && w[2] == 0 && last[2] == 0 && last[1]+w[0]-last[0] == w[1] {
			return seen{}, false
		}
		last = w
		lo, hi := c.x.add(disp, entry.lo), c.x.add(disp, entry.hi)
		if i == 0 {
			all.lo, all.hi = lo, hi
		}
		all.lo, all.hi = min(all.lo, lo), max(all.hi, hi)
		all.depth = max(all.depth, entry.depth+1)
		w = w[entryWords:]
	}
	return all, true
}

// header checks the header against the root.
func (c *checker) header(f Flat) error {
	size, root := f.Size(), f.words[wordRoot]
	lb, extent := f.Extent()
	trueLB, span := f.TrueExtent()
	c.x.add(lb, extent)
	var lo, hi int64
	ok := size == 0 && root == 0
	if size != 0 {
		var s seen
		s, ok = c.child(root, size)
		lo, hi = c.x.add(f.word(wordOrigin), s.lo), c.x.add(f.word(wordOrigin), s.hi)
	}
	if !ok || trueLB != lo || span != c.x.sub(hi, lo) || c.x.overflow {
		return corrupt("the header does not agree with the nodes")
	}
	return nil
}
