package btl

import (
	"runtime"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// meetsRuns is how many runs of each layout Meets looks at.
const meetsRuns = 8

// Meets tells whether the messages of two buffers have a byte of memory in common. True is always right. Of a layout
// with more than meetsRuns runs of bytes it compares the first ones, and false may be wrong. So it never refuses
// layouts that interleave, and it finds a buffer that is used twice.
func (b *Buffer) Meets(other *Buffer) bool {
	if b.Layout == nil && other.Layout == nil {
		return meet(runOf(b.Bytes), runOf(other.Bytes))
	}
	if !meet(b.span(), other.span()) {
		return false
	}
	var mine, theirs [meetsRuns]datatype.Segment
	for _, x := range b.runs(&mine) {
		for _, y := range other.runs(&theirs) {
			if meet(x, y) {
				return true
			}
		}
	}
	return false
}

func meet(a, b datatype.Segment) bool {
	return a.Len > 0 && b.Len > 0 && uint64(a.Addr) < uint64(b.Addr)+b.Len && uint64(b.Addr) < uint64(a.Addr)+a.Len
}

func runOf(b []byte) datatype.Segment {
	if len(b) == 0 {
		return datatype.Segment{}
	}
	return datatype.Segment{Addr: sys.AddrOf(b), Len: uint64(len(b))}
}

// span is the memory from the first byte of the message to the last one.
func (b *Buffer) span() datatype.Segment {
	if b.Layout == nil {
		return runOf(b.Bytes)
	}
	if b.Layout.Size() == 0 {
		return datatype.Segment{}
	}
	lo, hi := b.Layout.Span()
	return datatype.Segment{Addr: b.Base + uintptr(lo), Len: uint64(hi - lo)}
}

// Range returns the addresses of the first byte of the message and of the one behind the last.
func (b *Buffer) Range() (first, behind uint64) {
	s := b.span()
	return uint64(s.Addr), uint64(s.Addr) + s.Len
}

// runs lists the first runs of bytes.
func (b *Buffer) runs(into *[meetsRuns]datatype.Segment) []datatype.Segment {
	if b.Layout == nil {
		into[0] = runOf(b.Bytes)
		return into[:1]
	}
	n, _ := datatype.Segments(into[:], b.Layout, b.Base, 0)
	runtime.KeepAlive(b.Bytes)
	return into[:n]
}
