package regions

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/shm"
)

// region is memory that is attached to a dynamic window.
type region struct {
	base  uintptr
	bytes int
}

func (r region) end() uintptr { return r.base + uintptr(r.bytes) }

// regions are what a rank has attached to a dynamic window, in the order of addresses, for all to read. Only that rank
// writes them. It makes turn odd before, and even after that. So a reader that finds the same even number before and
// after it has read has read what was attached at one moment.
type regions struct {
	turn  atomic.Uint32
	count atomic.Uint32 // may be above mostRegions: then nobody knows all, and none is checked
	list  [mostRegions]struct{ base, end atomic.Uint64 }
	_     [8]byte // to a whole cache line
}

const mostRegions = 255 // with the rest 4 KiB

// tell writes what is attached now.
func (t *regions) tell(attached []region) {
	t.turn.Add(1)
	t.count.Store(uint32(len(attached)))
	for i, r := range attached[:min(len(attached), mostRegions)] {
		t.list[i].base.Store(uint64(r.base))
		t.list[i].end.Store(uint64(r.end()))
	}
	t.turn.Add(1)
}

// have tells whether all memory from lo to hi is attached. If the writer was killed while it wrote, nobody knows.
func (t *regions) have(lo, hi uint64) (has bool) {
	read := shm.Retry(func() bool {
		turn := t.turn.Load()
		has = t.cover(lo, hi)
		return turn%2 == 0 && t.turn.Load() == turn
	})
	return has || !read
}

func (t *regions) cover(lo, hi uint64) bool {
	n := int(t.count.Load())
	if n > mostRegions {
		return true
	}
	after := 0 // how many begin at lo or below
	for end := n; after < end; {
		if middle := (after + end) / 2; t.list[middle].base.Load() <= lo {
			after = middle + 1
		} else {
			end = middle
		}
	}
	for i := max(after-1, 0); i < n && t.list[i].base.Load() <= lo && lo < hi; i++ {
		lo = max(lo, t.list[i].end.Load())
	}
	return lo >= hi
}
