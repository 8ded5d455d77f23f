package datatype

import "github.com/gopvas/gopvas/internal/sys"

// Buffer is a message in memory: count elements of a type, with displacement zero at an
// address. Whoever makes it keeps the memory alive.
type Buffer struct {
	Base  uintptr
	Type  *Type
	Count int64
}

// Layout returns the layout of the buffer.
func (b Buffer) Layout() (Layout, error) { return b.Type.Times(b.Count) }

// Size returns the bytes of the packed stream.
func (b Buffer) Size() int64 { return b.Type.Size() * b.Count }

// Span returns the addresses of the lowest byte and of the one behind the highest.
func (b Buffer) Span() (lo, hi uintptr, err error) {
	l, err := b.Layout()
	from, to := l.Span()
	return b.Base + uintptr(from), b.Base + uintptr(to), err
}

// Contiguous returns the bytes of the buffer if they are one slice in the order of the
// packed stream.
func (b Buffer) Contiguous() (bytes []byte, ok bool) {
	l, err := b.Layout()
	if err != nil {
		return nil, false
	}
	origin, ok := l.Contiguous()
	if !ok || l.Size() == 0 {
		return nil, ok
	}
	return sys.Bytes(b.Base+uintptr(origin), int(l.Size())), true
}
