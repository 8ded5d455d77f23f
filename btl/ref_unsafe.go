package btl

import (
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/sys"
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

// Buffer is the buffer of the other rank, to be used for a copy and not to be kept. layout
// is memory for its layout.
func (r *Ref) Buffer(layout *datatype.Layout) Buffer {
	switch {
	case r.Length == 0:
		return Buffer{}
	case r.words == 0:
		return Buffer{Bytes: sys.Bytes(uintptr(r.Place), int(r.Length))}
	}
	*layout, _ = datatype.FlatAt(uintptr(r.words), int(r.size)).Times(int64(r.count)) // as at its owner: no error
	return Buffer{Layout: layout, Base: uintptr(r.Place)}
}
