package pagetable

// Separate counts, over all processes, the table pages that appear when each of the
// ranks is a process of its own. Each touches the given number of bytes of every
// rank's memory, its own among them. The segments lie one after the other: it is
// the classic way, at its best.
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
