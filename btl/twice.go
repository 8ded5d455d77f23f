package btl

import (
	"cmp"
	"runtime"
	"slices"

	"github.com/gopvas/gopvas/datatype"
)

// twiceRuns is how many runs of bytes Twice looks at.
const twiceRuns = 1 << 16

// Twice tells whether a byte of memory is in a message twice, or in two of them. True is always right. It looks at the
// first twiceRuns runs of bytes, and false may be wrong if there are more.
func Twice(messages ...Buffer) bool {
	var runs []datatype.Segment
	for i := range messages {
		b := &messages[i]
		if b.Layout == nil {
			runs = append(runs, runOf(b.Bytes))
			continue
		}
		s := b.span()
		if uint64(b.Len()) > s.Len {
			return true
		}
		if _, ok := b.Layout.Contiguous(); ok {
			runs = append(runs, s)
			continue
		}
		have := len(runs)
		room := max(0, min(b.Len(), twiceRuns-have))
		runs = slices.Grow(runs, room)
		n, _ := datatype.Segments(runs[have:have+room], b.Layout, b.Base, 0)
		runs = runs[:have+n]
		runtime.KeepAlive(b.Bytes)
	}
	slices.SortFunc(runs, func(a, b datatype.Segment) int { return cmp.Compare(a.Addr, b.Addr) })
	end := uint64(0)
	for _, r := range runs {
		if r.Len > 0 && uint64(r.Addr) < end {
			return true
		}
		end = max(end, uint64(r.Addr)+r.Len)
	}
	return false
}
