package file

import (
	"fmt"
	"math"

	"github.com/gopvas/gopvas/datatype"
)

// View is what a rank sees of a file: MPI 5.0 section 14.3. The data of the file is the packed stream of Type, repeated
// from byte Displacement on, in elements of Element.
type View struct {
	Displacement  int64
	Element, Type *datatype.Type
	Datarep       string // the name of how elements are in the file; "": as in memory

	layout   datatype.Layout // as many of the type as there can be
	overlaps bool            // bytes are there twice: places in the file do not go up with those in the stream
	tangled  bool            // the type is repeated before its end: they go up only within one of it
}

// ByteView is the view of a file that has just been opened.
func ByteView() View {
	v := View{Element: datatype.Byte, Type: datatype.Byte}
	_ = v.lay(true) // bytes are all right
	return v
}

// checkedBlocks is up to how many blocks of a type the order of its displacements is checked: as many cost a few
// milliseconds.
const checkedBlocks = 1 << 20

// lay makes the layout of the view, or says what is wrong with it. Types of files that are written have no byte twice.
func (v *View) lay(written bool) error {
	switch {
	case v.Displacement < 0:
		return fmt.Errorf("%w: the displacement %d is negative", ErrArgument, v.Displacement)
	case v.Element.Size() <= 0:
		return fmt.Errorf("%w: the element type has no bytes", ErrType)
	case v.Type.Size()%v.Element.Size() != 0:
		return fmt.Errorf("%w: the file type has %d bytes, which are no whole elements of %d", ErrType, v.Type.Size(),
			v.Element.Size())
	case v.Type.Size() == 0:
		v.layout = datatype.Layout{}
		return nil
	}
	if _, _, err := inOrder(v.Element); err != nil {
		return fmt.Errorf("element type: %w", err)
	}
	var err error
	if v.overlaps, v.tangled, err = inOrder(v.Type); err != nil {
		return fmt.Errorf("file type: %w", err)
	}
	if v.overlaps && written {
		return fmt.Errorf("%w: the file type has bytes twice: that is only for files opened to be read", ErrType)
	}
	first, span := v.Type.TrueExtent()
	if first+span > math.MaxInt64-v.Displacement {
		return fmt.Errorf("%w: the file type ends behind the largest offset", ErrType)
	}
	_, extent := v.Type.Extent()
	v.layout, err = v.Type.Times(max(1, (math.MaxInt64-v.Displacement-first-span)/max(extent, v.Type.Size())))
	return err
}

// inOrder returns an error if the displacements of a type do not go up. overlaps tells whether a byte is
// there twice, tangled whether the type is repeated before its end.
func inOrder(t *datatype.Type) (overlaps, tangled bool, err error) {
	one, err := t.Times(1)
	if err != nil {
		return false, false, err
	}
	lo, hi := one.Span()
	_, extent := t.Extent()
	if lo < 0 || extent <= 0 {
		return false, false, fmt.Errorf("%w: its bytes go from %d to %d, and it is repeated after %d", ErrType, lo, hi,
			extent)
	}
	tangled = extent < hi-lo
	if _, ok := one.Contiguous(); ok {
		return false, tangled, nil
	}
	var list [256]datatype.Segment
	last, end := lo, lo
	for pos, blocks := int64(0), 0; pos < one.Size() && blocks < checkedBlocks; {
		n, bytes := datatype.Segments(list[:], &one, 0, pos)
		for _, s := range list[:n] {
			begin := int64(s.Addr)
			if begin < last {
				return false, false, fmt.Errorf("%w: its displacements go back, from %d to %d: put them in order",
					ErrType, last, begin)
			}
			overlaps = overlaps || begin < end
			last, end = begin, max(end, begin+int64(s.Len))
		}
		pos += bytes
		blocks += n
	}
	return overlaps, tangled, nil
}

// upTo is how much of the stream lies before an offset of the file; of a tangled one, as many types as do.
func (v *View) upTo(offset int64) int64 {
	if !v.tangled {
		return v.find(0, v.size(), offset)
	}
	first, span := v.Type.TrueExtent()
	room := offset - v.Displacement - first - span
	if room < 0 {
		return 0
	}
	_, extent := v.Type.Extent()
	return min(room/extent+1, v.size()/v.Type.Size()) * v.Type.Size()
}

// size is the length of the stream.
func (v *View) size() int64 { return v.layout.Size() }

// offset is where a byte of the stream is in the file.
func (v *View) offset(pos int64) int64 {
	if origin, ok := v.layout.Contiguous(); ok {
		return v.Displacement + origin + pos
	}
	var one [1]datatype.Segment
	if n, _ := datatype.Segments(one[:], &v.layout, uintptr(v.Displacement), pos); n == 0 {
		return math.MaxInt64
	}
	return int64(one[0].Addr)
}

// find is the first byte of the stream, from one up to another, that is not before an offset of the file.
func (v *View) find(from, to, offset int64) int64 {
	if origin, ok := v.layout.Contiguous(); ok {
		return min(max(from, offset-v.Displacement-origin), to)
	}
	for from < to {
		if middle := from + (to-from)/2; v.offset(middle) < offset {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}
