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
	DataRep       string // as it was given

	layout datatype.Layout // as many of the type as there can be
}

// ByteView is the view of a file that has just been opened.
func ByteView() View {
	v := View{Element: datatype.Byte, Type: datatype.Byte, DataRep: "native"}
	_ = v.lay() // bytes are all right
	return v
}

// monotoneBlocks is up to how many blocks of a file type the order of its displacements is checked: as many cost a few
// milliseconds.
const monotoneBlocks = 1 << 20

// lay makes the layout of the view, or says what is wrong with it.
func (v *View) lay() error {
	switch {
	case v.Displacement < 0:
		return fmt.Errorf("%w: the displacement %d is negative", ErrArgument, v.Displacement)
	case v.Element.Size() <= 0:
		return fmt.Errorf("%w: the element type has no bytes", ErrArgument)
	case v.Type.Size()%v.Element.Size() != 0:
		return fmt.Errorf("%w: the file type has %d bytes, which are no whole elements of %d", ErrArgument,
			v.Type.Size(), v.Element.Size())
	case v.Type.Size() == 0:
		v.layout = datatype.Layout{}
		return nil
	}
	_, extent := v.Type.Extent()
	first, span := v.Type.TrueExtent()
	switch {
	case extent <= 0:
		return fmt.Errorf("%w: the extent of the file type is %d", ErrArgument, extent)
	case span > extent:
		return fmt.Errorf("%w: the file type spans %d bytes, and the next one begins after %d: make its extent longer",
			ErrArgument, span, extent)
	case first < 0:
		return fmt.Errorf("%w: the file type begins %d bytes before its displacement", ErrArgument, -first)
	case first+span > math.MaxInt64-v.Displacement:
		return fmt.Errorf("%w: the file type ends behind the largest offset", ErrArgument)
	}
	count := 1 + (math.MaxInt64-v.Displacement-first-span)/max(extent, v.Type.Size())
	var err error
	if v.layout, err = v.Type.Times(count); err != nil {
		return err
	}
	return v.monotone()
}

// monotone returns an error if a displacement of the file type is smaller than the one before.
func (v *View) monotone() error {
	if _, ok := v.layout.Contiguous(); ok {
		return nil
	}
	one, err := v.Type.Times(1)
	if err != nil {
		return err
	}
	var list [256]datatype.Segment
	last := int64(-1)
	for pos, blocks := int64(0), 0; pos < one.Size() && blocks < monotoneBlocks; {
		n, bytes := datatype.Segments(list[:], &one, 0, pos)
		for _, s := range list[:n] {
			if int64(s.Addr) < last {
				return fmt.Errorf("%w: the displacements of the file type go back, from %d to %d: put them in order",
					ErrArgument, last, s.Addr)
			}
			last = int64(s.Addr)
		}
		pos += bytes
		blocks += n
	}
	return nil
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
