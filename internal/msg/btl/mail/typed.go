package mail

import (
	"runtime"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
)

// Buffers with a layout. In one address space each end reads the other's layout where it lies,
// and copies from layout to layout. The rank that has the buffer keeps the words of its layout
// as long as the buffer. So a rank that may touch the buffer may read the layout. Between
// processes each end packs or unpacks for itself, and needs no layout but its own.

// set stores the layout of a buffer that a peer may touch.
func (r *layoutRef) set(l *datatype.Layout) {
	flat, count := l.Parts()
	address, length := flat.Address()
	r.length.Store(uint64(length))
	r.count.Store(uint64(count))
	r.words.Store(uint64(address))
}

// layout returns the layout of the peer's buffer.
func (r *layoutRef) layout() datatype.Layout {
	flat := datatype.FlatAt(uintptr(r.words.Load()), int(r.length.Load()))
	l, _ := flat.Times(int64(r.count.Load())) // it is that of a buffer: no error
	return l
}

// In fetch and put the layout of the peer is a value, and in no btl.Buffer, which would have
// it escape to the heap.

// fetch copies a chunk of a message that lies at a place of the sender, in one piece if layout
// is nil.
func fetch(dst *btl.Buffer, place uint64, layout *layoutRef, c chunk) {
	if layout == nil {
		dst.Unpack(bytesAt(place+c.from, int(c.to-c.from)), int(c.from))
		return
	}
	l := layout.layout()
	if dst.Layout == nil {
		datatype.Pack(dst.Bytes[c.from:c.to], &l, uintptr(place), int64(c.from))
		return
	}
	c.copy(dst.Layout, dst.Base, &l, uintptr(place))
	runtime.KeepAlive(dst.Bytes)
}

// put copies a chunk of a message to the layout that the receiver has for it at a place.
func put(place uint64, layout *layoutRef, src *btl.Buffer, c chunk) {
	l := layout.layout()
	if src.Layout == nil {
		datatype.Unpack(src.Bytes[c.from:c.to], &l, uintptr(place), int64(c.from))
		return
	}
	c.copy(&l, uintptr(place), src.Layout, src.Base)
	runtime.KeepAlive(src.Bytes)
}

// copy copies a chunk from layout to layout. Both ends cut the message into the same parts.
func (c *chunk) copy(to *datatype.Layout, toBase uintptr, from *datatype.Layout, fromBase uintptr) {
	if c.parts != 0 {
		datatype.CopyPart(to, toBase, from, fromBase, int64(c.take), c.part, c.parts)
		return
	}
	datatype.Copy(to, toBase, from, fromBase, int64(c.from), int64(c.to-c.from))
}

// take copies the first n bytes of an offered message from the sender's buffer.
func take(dst *btl.Buffer, f *btl.Frame, d *descriptor, n int) {
	if n == 0 {
		return
	}
	var layout *layoutRef
	if f.Token&typedBit != 0 {
		layout = &d.src
	}
	fetch(dst, f.Place, layout, chunk{to: uint64(n)})
}

// source is what the sender has told of its layout; nil: its buffer is one piece.
func (t *recvTransfer) source() *layoutRef {
	if !t.typed {
		return nil
	}
	return &t.d.src
}
