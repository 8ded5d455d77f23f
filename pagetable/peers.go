package pagetable

// AllToAll is the example by which the PVAS paper states its problem (see the package
// comment): each of the ranks, a process of its own, maps the given number of bytes of each of its peers. It
// returns how many PTE pages that takes in all: best when each peer's memory is
// contiguous and aligned, worst when no two of its 4 KiB pages share a PTE page.
// 100 ranks with 2 MiB for each peer take 9,900 to 5,068,800.
func AllToAll(ranks int, bytes uint64) (best, worst uint64) {
	if ranks < 2 {
		return 0, 0
	}
	n := uint64(ranks)
	pairs := mulSat(n, n-1)
	return mulSat(pairs, ceil(bytes, PTESpan)), mulSat(pairs, ceil(bytes, PageSize))
}

// Separate counts, over all processes, the table pages that appear when each of
// the ranks is a process of its own and touches the given number of bytes of
// every rank's memory, its own among them, the segments lying one after the
// other. It is the classic way, at its best.
//
// Each process is taken to run already, with other pages in the gigabyte where
// the segments begin: the PMD, PUD and PGD page they need first are there, and
// only what is added counts. That makes the result comparable with the growth
// of VmPTE since the start of the ranks.
func Separate(ranks int, bytes uint64) Count {
	if ranks < 1 {
		return Count{}
	}
	n := uint64(ranks)
	return beside(mulSat(n, bytes)).times(n)
}

// Shared counts the table pages that appear when the same ranks live in one
// address space: each touches its own bytes, in its own partition, and the
// peers find the pages, and the tables, there.
func Shared(ranks int, bytes uint64) Count {
	if ranks < 1 {
		return Count{}
	}
	return beside(bytes).times(uint64(ranks))
}

// beside is the growth for a range of bytes that begins at a 2 MiB boundary,
// in a gigabyte whose first page has been touched.
func beside(bytes uint64) Count {
	const base = 1 << 46
	before := []Mapping{{Start: base, End: base + PageSize}}
	start := uint64(base + PTESpan)
	end := start + bytes
	if end < start {
		end = 1<<64 - 1
	}
	return Growth(before, []Mapping{{Start: start, End: end}})
}

// ceil is a/b rounded up.
func ceil(a, b uint64) uint64 {
	n := a / b
	if a%b != 0 {
		n++
	}
	return n
}
