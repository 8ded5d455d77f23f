package pagetable

import (
	"math"
	"math/bits"
	"slices"
)

// Page sizes and the bytes that one full table page of each level maps. Every
// level has 512 entries, so each is 512 times the one before.
const (
	PageSize  = 4 << 10         // a small page, and every table page
	PTESpan   = 512 * PageSize  // 2 MiB: one PTE page; also a huge page
	PMDSpan   = 512 * PTESpan   // 1 GiB: one PMD page
	PUDSpan   = 512 * PMDSpan   // 512 GiB: one PUD page
	tableKiB  = PageSize / 1024 // what one table page weighs
	pteShift  = 21              // log2 of the spans
	pmdShift  = 30
	pudShift  = 39
	pageShift = 12
)

// Mapping is a range of one address space in which every page has been touched.
// Memory that is reserved but was never touched needs no tables and no Mapping.
//
// Pages touched here and there cost as many PTE pages as there are 2 MiB ranges
// with a page in them; so the worst case for n pages, one to each PTE page, is
// one Mapping of n times PTESpan.
type Mapping struct {
	// Start and End are the first byte and the byte after the last one. They
	// are rounded outwards to whole pages. A Mapping with End <= Start is empty.
	Start, End uint64

	// Huge says that the 2 MiB-aligned parts are huge pages of hugetlbfs or
	// shmem, which a PMD entry maps without a PTE page. Ragged ends are small
	// pages. Leave it false for anonymous memory with transparent huge pages:
	// Linux sets one PTE page aside for each of them, to be able to split it,
	// and counts it.
	Huge bool
}

// Count is the number of table pages at each level, lowest first.
type Count struct {
	PTE uint64
	PMD uint64
	PUD uint64
	PGD uint64
}

// Pages is the number of table pages at all levels.
func (c Count) Pages() uint64 { return sumSat(c.PTE, c.PMD, c.PUD, c.PGD) }

// KiB is the size of the table pages at all levels.
func (c Count) KiB() uint64 { return mulSat(c.Pages(), tableKiB) }

// VmPTE is what /proc/PID/status would show, in KiB: all levels but the PGD.
func (c Count) VmPTE() uint64 { return mulSat(sumSat(c.PTE, c.PMD, c.PUD), tableKiB) }

// times returns the count for n equal address spaces.
func (c Count) times(n uint64) Count {
	return Count{mulSat(c.PTE, n), mulSat(c.PMD, n), mulSat(c.PUD, n), mulSat(c.PGD, n)}
}

// Tables counts the table pages one address space needs for the mappings. They
// may be in any order, overlap, and share table pages: each page counts once.
// The time it takes depends on the number of mappings, not on their lengths.
func Tables(mappings []Mapping) Count {
	var pte, all []interval
	for _, m := range mappings {
		if m.End <= m.Start {
			continue
		}
		touched := interval{m.Start >> pageShift, (m.End - 1) >> pageShift}
		all = append(all, touched)
		pte = append(pte, smallPages(touched, m.Huge)...)
	}
	c := Count{
		PTE: distinct(pte, pteShift-pageShift),
		PMD: distinct(all, pmdShift-pageShift),
		PUD: distinct(all, pudShift-pageShift),
	}
	if len(all) > 0 {
		c.PGD = 1
	}
	return c
}

// Growth counts the table pages that appear when the mappings in added are
// touched in an address space that has touched those in before.
func Growth(before, added []Mapping) Count {
	a, b := Tables(before), Tables(slices.Concat(before, added))
	return Count{b.PTE - a.PTE, b.PMD - a.PMD, b.PUD - a.PUD, b.PGD - a.PGD}
}

// interval is a range of page numbers, both ends included, so that the last
// page of the address space needs no special case.
type interval struct{ first, last uint64 }

// smallPages returns the parts of a touched range that PTE entries map.
func smallPages(touched interval, huge bool) []interval {
	if !huge {
		return []interval{touched}
	}
	const perTable = PTESpan / PageSize
	start := (touched.first + perTable - 1) / perTable * perTable // the first huge page
	end := (touched.last + 1) / perTable * perTable               // after the last one
	if start >= end {
		return []interval{touched}
	}
	var ends []interval
	if touched.first < start {
		ends = append(ends, interval{touched.first, start - 1})
	}
	if touched.last >= end {
		ends = append(ends, interval{end, touched.last})
	}
	return ends
}

// distinct counts the different values of page>>shift over all intervals.
func distinct(pages []interval, shift uint) uint64 {
	tables := make([]interval, len(pages))
	for i, p := range pages {
		tables[i] = interval{p.first >> shift, p.last >> shift}
	}
	slices.SortFunc(tables, func(a, b interval) int {
		if a.first < b.first {
			return -1
		}
		if a.first > b.first {
			return 1
		}
		return 0
	})
	var n, next uint64 // next: the lowest table not counted yet
	for _, t := range tables {
		first := max(t.first, next)
		if first <= t.last {
			n += t.last - first + 1
			next = t.last + 1
		}
	}
	return n
}

// sumSat is the sum of all terms, or the largest uint64 where that does not fit.
func sumSat(terms ...uint64) uint64 {
	var sum uint64
	for _, t := range terms {
		s, carry := bits.Add64(sum, t, 0)
		if carry != 0 {
			return math.MaxUint64
		}
		sum = s
	}
	return sum
}

// mulSat is a*b, or the largest uint64 where that does not fit: a model asked
// for an absurd size answers "too much", not a small number.
func mulSat(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return math.MaxUint64
	}
	return lo
}
