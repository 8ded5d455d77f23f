package comm

import "github.com/gopvas/gopvas/btl"

// Buffer is memory that a message is taken from or put into: bytes in one piece, or a
// layout of package datatype. The calls that take []byte are for one piece, and are the
// shortest way; those named after Buffer take either.
type Buffer = btl.Buffer

// Bytes is the buffer of some bytes in one piece.
func Bytes(b []byte) Buffer { return Buffer{Bytes: b} }
