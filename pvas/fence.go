package pvas

import (
	"os"

	"github.com/gopvas/gopvas/internal/areas"
	"github.com/gopvas/gopvas/internal/sys"
)

// heapHints is where a Go runtime likes its heap: at a random place of the lower half of the addresses, or at one of
// few. With one heap per task, each such place costs a PTE page, a PMD page and often a PUD page of its own.
func heapHints() Range { return Range{4 << 30, 1 << (addressBits() - 1)} }

// fenceHeaps maps the free parts of heapHints as PROT_NONE, which costs some
// twenty mappings and no memory. The runtimes of the tasks find their random
// places taken and let the kernel choose, which puts their heaps side by side
// where tasks share the upper levels of the page table: 10 % less page table
// per idle Go task.
//
// It is an optimisation and as such may fail in part: a place that cannot be
// fenced (RLIMIT_AS, a mapping made meanwhile) stays free.
func (s *Space) fenceHeaps() {
	gaps, err := freeRanges(heapHints())
	if err != nil {
		return
	}
	flags := sys.MapPrivate | sys.MapAnonymous | sys.MapNoReserve | sys.MapFixedNoReplace
	for _, g := range gaps {
		if _, err := sys.Mmap(uintptr(g.Start), uintptr(g.Len()), sys.ProtNone, flags, -1, 0); err == nil {
			s.fences = append(s.fences, g)
		}
	}
}

// freeRanges lists the unmapped parts of r of at least 64 MiB, the unit of a Go
// heap.
func freeRanges(r Range) (free []Range, err error) {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	const least = 64 << 20
	at := r.Start
	gap := func(end uint64) {
		if end > at && end-at >= least {
			free = append(free, Range{at, end})
		}
	}
	err = areas.Read(f, func(a areas.Area) {
		gap(min(a.Start, r.End))
		at = max(at, a.End)
	})
	gap(r.End)
	return free, err
}
