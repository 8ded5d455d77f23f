package btl

import (
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Ref is a Buffer as another rank of the same address space reads it. It refers to the
// memory and the layout of the Buffer, which stay where they are as long as it is used.
type Ref struct {
	Place  uint64 // Buffer.Place
	Length uint64 // Buffer.Len
	words  uint64 // of the layout: where they lie; 0: one piece
	size   uint64 // and how many there are
	count  uint64 // elements
}

// RefTo returns what to tell others of a buffer.
func RefTo(b *Buffer) Ref {
	r := Ref{Place: uint64(b.Place()), Length: uint64(b.Len())}
	if b.Layout != nil {
		flat, count := b.Layout.Parts()
		at, size := flat.Address()
		r.words, r.size, r.count = uint64(at), uint64(size), uint64(count)
	}
	return r
}

// Typed tells whether the buffer has a layout.
func (r *Ref) Typed() bool { return r.words != 0 }

// layout is the layout of a typed buffer.
func (r *Ref) layout() datatype.Layout {
	l, _ := datatype.FlatAt(uintptr(r.words), int(r.size)).Times(int64(r.count)) // as at its owner: no error
	return l
}

// CopyRef is Copy between buffers of any ranks of the address space.
func CopyRef(to, from *Ref, offset, n int) {
	if n <= 0 {
		return
	}
	// Layouts are values here, and in no Buffer: a Buffer lets what is in it escape to the heap.
	switch at := int64(offset); {
	case !from.Typed() && !to.Typed():
		copy(to.bytes(offset, n), from.bytes(offset, n))
	case !from.Typed():
		l := to.layout()
		datatype.Unpack(from.bytes(offset, n), &l, uintptr(to.Place), at)
	case !to.Typed():
		l := from.layout()
		datatype.Pack(to.bytes(offset, n), &l, uintptr(from.Place), at)
	default:
		l, m := to.layout(), from.layout()
		datatype.Copy(&l, uintptr(to.Place), &m, uintptr(from.Place), at, int64(n))
	}
}

// bytes are some of a buffer that lies in one piece.
func (r *Ref) bytes(offset, n int) []byte { return sys.Bytes(uintptr(r.Place)+uintptr(offset), n) }
