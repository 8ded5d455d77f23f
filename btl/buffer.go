package btl

import (
	"runtime"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Buffer is memory that a message is taken from or put into: bytes in one piece, or a
// layout. The bytes of a message are the packed stream of the layout.
type Buffer struct {
	// Bytes is the message if it lies in one piece. With a layout it is any part of the
	// memory: it keeps the memory reachable, and nothing else.
	Bytes []byte

	Layout *datatype.Layout // nil: one piece
	Base   uintptr          // with a layout, the address of displacement zero

	// Of is what the message consists of, if that is to be compared with what the other end
	// says of it. Modules do not look at it.
	Of datatype.Element
}

// Len returns the length of the message in bytes.
func (b *Buffer) Len() int {
	if b.Layout == nil {
		return len(b.Bytes)
	}
	return int(b.Layout.Size())
}

// Pack copies the message from offset on to dst, as far as dst goes.
func (b *Buffer) Pack(dst []byte, offset int) {
	if b.Layout == nil {
		copy(dst, b.Bytes[min(offset, len(b.Bytes)):])
		return
	}
	datatype.Pack(dst, b.Layout, b.Base, int64(offset))
	runtime.KeepAlive(b.Bytes)
}

// Unpack copies src to where the bytes of the message from offset on belong, as far as the
// buffer goes.
func (b *Buffer) Unpack(src []byte, offset int) {
	if b.Layout == nil {
		copy(b.Bytes[min(offset, len(b.Bytes)):], src)
		return
	}
	datatype.Unpack(src, b.Layout, b.Base, int64(offset))
	runtime.KeepAlive(b.Bytes)
}

// Copy copies n bytes of a message from offset on, from buffer to buffer, without another
// between. Both must be as long, and have no byte in common.
func Copy(to, from *Buffer, offset, n int) {
	switch {
	case n <= 0:
	case from.Layout == nil:
		to.Unpack(from.Bytes[offset:offset+n], offset)
	case to.Layout == nil:
		from.Pack(to.Bytes[offset:offset+n], offset)
	default:
		datatype.Copy(to.Layout, to.Base, from.Layout, from.Base, int64(offset), int64(n))
		runtime.KeepAlive(to.Bytes)
		runtime.KeepAlive(from.Bytes)
	}
}

// Place returns the address that a peer needs to find the message: of the first byte, or
// with a layout of displacement zero. It is 0 if there is nothing to find.
func (b *Buffer) Place() uintptr {
	switch {
	case b.Layout != nil:
		return b.Base
	case len(b.Bytes) == 0:
		return 0
	}
	return sys.AddrOf(b.Bytes)
}
