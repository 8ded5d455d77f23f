package datatype

// Cursor is a place in the packed stream of a message, for those who pack, unpack or list
// it step by step. It is a value, and remembers nothing but its offset: finding the place
// anew costs O(depth + log blocks).
type Cursor struct {
	layout Layout
	base   uintptr
	offset int64
}

// NewCursor makes a cursor at the beginning of the packed stream. base is the address of
// displacement zero.
func NewCursor(l *Layout, base uintptr) Cursor { return Cursor{layout: *l, base: base} }

// SetOffset goes to an offset in the packed stream.
func (c *Cursor) SetOffset(offset int64) { c.offset = max(0, min(offset, c.layout.Size())) }

// Offset returns where the cursor is.
func (c *Cursor) Offset() int64 { return c.offset }

// Left returns the number of bytes from the cursor to the end.
func (c *Cursor) Left() int64 { return c.layout.Size() - c.offset }

// Pack is the function Pack at the cursor, which it moves.
func (c *Cursor) Pack(dst []byte) int {
	n := Pack(dst, &c.layout, c.base, c.offset)
	c.offset += int64(n)
	return n
}

// Unpack is the function Unpack at the cursor, which it moves.
func (c *Cursor) Unpack(src []byte) int {
	n := Unpack(src, &c.layout, c.base, c.offset)
	c.offset += int64(n)
	return n
}

// Segments is the function Segments at the cursor, which it moves.
func (c *Cursor) Segments(segs []Segment) (count int, bytes int64) {
	count, bytes = Segments(segs, &c.layout, c.base, c.offset)
	c.offset += bytes
	return count, bytes
}
