package pvasbtl

import (
	"bytes"
	"cmp"
	"os"
	"runtime"
	"slices"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// A Go runtime reserves addresses as inaccessible memory, and maps the parts that it comes to use over it. So each
// part costs the address space two or three memory areas. The kernel walks all areas of the address space when a
// rank ends, so those of N ranks cost N * N. Where ranks are many, a rank makes its reservations readable and
// writable as a whole. That takes no memory: nobody touches the rest, and the runtime maps over it as before.
//
// There are two kinds of reservations, both of fixed sizes. The heap has arenas of 64 MiB, which are aligned. The
// tables of the page allocator have a word for each range of the addresses. Of each table the runtime has
// mapped the one page that speaks of the heap. A table is found by that page, which lies alone in inaccessible memory,
// in a place that the heap's address tells. The table around it begins at a multiple of 2 MiB, or it shares an end with
// the reservation. If a runtime makes its tables otherwise, none is found. A table of a peer may be found instead of
// the own: that is as good.

// manyRanks is the least number of ranks that merge reservations. With fewer it would cost more time than it saves; the
// CPU time of a job of 64 is the same with and without.
const manyRanks = 64

const (
	heapArena  = 64 << 20
	heapBits   = 48 // of addresses that the tables speak of
	tableAlign = 2 << 20
	mostLooks  = 48      // areas that are looked at
	probe      = 1 << 20 // bytes of a small table
)

// tableShifts are log2 of the bytes that a word of a table speaks of; the last one is that of two tables.
var tableShifts = [...]uint{22, 25, 28, 31}

// mergeReservations does so for the heap of this rank and its tables, if no limit forbids it. The memory counts
// for RLIMIT_DATA, and where the kernel commits memory strictly.
func mergeReservations() {
	strict, err := os.ReadFile("/proc/sys/vm/overcommit_memory")
	if err != nil || bytes.HasPrefix(strict, []byte("2")) || sys.SoftLimit(sys.RlimitData) != sys.Unlimited {
		return
	}
	heap := sys.HeapAddr(make([]byte, 64))
	arena := heap &^ (heapArena - 1)
	if !open(arena, heapArena) {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer func() { _ = maps.Close() }()
	if low, err := sys.Mmap(0, probe, sys.ProtNone, sys.MapPrivate|sys.MapAnonymous, -1, 0); err == nil {
		_ = sys.Munmap(low, probe)
		openTables(findTables(maps, heap, low+probe)) // they were mapped not long ago, above the last mapping
	}
}

// table is the range of a reservation.
type table struct{ start, end uintptr }

// findTables looks for tables from an address on.
func findTables(maps *os.File, heap, from uintptr) (found []table) {
	before := sys.Area{}
	for looks := 0; looks < mostLooks && len(found) < len(tableShifts)+1; looks++ {
		area, err := sys.AreaFrom(maps, from)
		if err != nil {
			return found
		}
		if area.Start == before.End && isHole(area) && reserved(before) {
			after, err := sys.AreaFrom(maps, area.End)
			if err == nil && after.Start == area.End && reserved(after) {
				if t, ok := tableAround(heap, before, area, after); ok {
					found = append(found, t)
				}
			}
		}
		before, from = area, area.End
	}
	return found
}

// openTables opens tables. Those that border on one another, as all of a runtime often do, take one call together.
func openTables(tables []table) {
	slices.SortFunc(tables, func(a, b table) int { return cmp.Compare(a.start, b.start) })
	for len(tables) > 0 {
		run, n := tables[0], 1
		for ; n < len(tables) && tables[n].start == run.end; n++ {
			run.end = tables[n].end
		}
		tables = tables[n:]
		size := run.end - run.start
		if open(run.start, size) && size > tableAlign { // it is nearly empty: no huge page, nor a place in core files
			_ = sys.Madvise(run.start, size, sys.MadvNoHugePage)
			_ = sys.Madvise(run.start, size, sys.MadvDontDump)
		}
	}
}

func isHole(a sys.Area) bool {
	return a.Access == sys.ProtRead|sys.ProtWrite && !a.Shared && !a.File && a.End-a.Start == uintptr(os.Getpagesize())
}

func reserved(a sys.Area) bool { return a.Access == sys.ProtNone && !a.Shared && !a.File }

// tableAround returns the largest table that the page may be of.
func tableAround(heap uintptr, before, page, after sys.Area) (t table, ok bool) {
	if runtime.GOARCH == "amd64" {
		heap += 1 << (heapBits - 1) // the tables speak of negative addresses first
	}
	for _, shift := range tableShifts {
		const word = 8
		start := page.Start - heap>>shift*word&^uintptr(os.Getpagesize()-1)
		size := uintptr(word << (heapBits - shift))
		sure := start%tableAlign == 0
		if size < tableAlign {
			sure = start == before.Start || start+size == after.End
		}
		if sure && start >= before.Start && start+size <= after.End {
			return table{start, start + size}, true
		}
	}
	return table{}, false
}

func open(at, size uintptr) bool { return sys.Mprotect(at, size, sys.ProtRead|sys.ProtWrite) == nil }
