package datatype

import "fmt"

// Layout is count elements of a type, one extent apart: the layout of a message. It is a
// value that costs little to make and refers to the words of the flat form.
type Layout struct {
	words  []uint64 // of the flat form
	count  int64    // elements
	root   shape
	origin int64 // displacement of the root
	lo, hi int64 // displacements of the lowest byte and the one behind the highest
}

// Times returns the layout of count elements of the type.
func (t *Type) Times(count int64) (Layout, error) { return t.Flat().Times(count) }

// Times returns the layout of count elements of the flat form.
func (f Flat) Times(count int64) (Layout, error) {
	if count < 0 {
		return Layout{}, fmt.Errorf("datatype: lay out %d elements: %w", count, ErrCount)
	}
	size := f.Size()
	if count == 0 || size == 0 {
		return Layout{}, nil
	}
	var x exact
	_, extent := f.Extent()
	trueLB, span := f.TrueExtent()
	last := x.mul(count-1, extent)
	l := Layout{words: f.words, count: count, origin: f.word(wordOrigin)}
	l.root = shapeAt(f.words, f.words[wordRoot], size).repeat(x.mul(count, size), count, extent, f.words[wordRoot])
	l.lo = x.add(trueLB, min(0, last))
	l.hi = x.add(x.add(trueLB, span), max(0, last))
	x.sub(l.hi, l.lo)
	if x.overflow {
		return Layout{}, fmt.Errorf("datatype: lay out %d elements: %w", count, ErrOverflow)
	}
	return l, nil
}

// Parts returns the flat form that the layout was made of, and the number of elements.
func (l *Layout) Parts() (Flat, int64) { return Flat{l.words}, l.count }

// Size returns the bytes of the packed stream.
func (l *Layout) Size() int64 { return l.root.size }

// Contiguous tells whether the bytes have no gaps and are in the order of the packed
// stream. The first is then at displacement origin.
func (l *Layout) Contiguous() (origin int64, ok bool) {
	return l.origin, l.root.isRun()
}

// Span returns the displacements of the lowest byte and of the one behind the highest.
func (l *Layout) Span() (lo, hi int64) { return l.lo, l.hi }

// Thin tells whether the bytes lie in many cache lines with few of them in each, as those of
// one column of a matrix do. A layout that begins with a list is not looked into.
func (l *Layout) Thin() bool {
	s, near := l.root, int64(1) // runs in a cache line, about
	for s.isLoop() {
		if stride := abs(s.stride); stride < cacheLine {
			near *= min(s.count, cacheLine/max(stride, 1))
		}
		s = s.round(l.words)
	}
	return s.isRun() && s.size*near < cacheLine/4
}

// shape is a node as the engine sees it: decoded from words, or made by the engine (a run of
// any length, a loop of count elements, a part of a loop).
type shape struct {
	size      int64
	count     int64  // rounds of a loop, entries of a list; 0: a run
	unit      int64  // size of a round of a loop; 0: a list or a run
	stride    int64  // of a loop
	reference uint64 // loop: of a round. list: of itself
}

// shapeAt decodes what a reference stands for.
func shapeAt(words []uint64, reference uint64, size int64) shape {
	if reference == 0 {
		return shape{size: size}
	}
	w := words[reference:]
	if w[0] == listTag {
		return shape{size: size, reference: reference, count: int64(w[1])}
	}
	_ = w[4]
	return shape{size: size, unit: int64(w[1]), count: int64(w[2]), stride: int64(w[3]), reference: w[4]}
}

// repeat is count times s, as loop in piece.go makes it.
func (s shape) repeat(size, count, stride int64, reference uint64) shape {
	switch {
	case count == 1:
		return s
	case s.isRun() && stride == s.size:
		return shape{size: size}
	case s.isLoop() && isProduct(stride, s.count, s.stride):
		s.size, s.count = size, s.count*count
		return s
	}
	return shape{size: size, count: count, stride: stride, unit: s.size, reference: reference}
}

func (s *shape) isRun() bool { return s.count == 0 }

func (s *shape) isLoop() bool { return s.unit != 0 }

func (s *shape) isList() bool { return s.count != 0 && s.unit == 0 }

// round is one round of a loop.
func (s *shape) round(words []uint64) shape { return shapeAt(words, s.reference, s.unit) }

// entry is the i-th of a list, and where it starts in the packed stream and in memory.
func (s *shape) entry(words []uint64, i int64) (inner shape, start, disp int64) {
	w := words[int64(s.reference)+listFirst+i*entryWords:]
	_ = w[entryWords]
	start, disp = int64(w[0]), int64(w[1])
	return shapeAt(words, w[2], int64(w[entryWords])-start), start, disp
}

// find returns the entry of a list that holds the byte at offset of the packed stream.
func (s *shape) find(words []uint64, offset int64) int64 {
	w := words[s.reference+listFirst:]
	lo, hi := int64(0), s.count
	for hi-lo > 1 {
		if mid := int64(uint64(lo+hi) / 2); int64(w[mid*entryWords]) <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
