package pagetable

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
	tib = 1 << 40
)

func TestTables(t *testing.T) {
	tests := []struct {
		name     string
		mappings []Mapping
		want     Count
	}{
		{"nothing", nil, Count{}},
		{"empty range", []Mapping{{Start: 5 * gib, End: 5 * gib}}, Count{}},
		{"reversed range", []Mapping{{Start: 5 * gib, End: 4 * gib}}, Count{}},
		{"one byte", []Mapping{{Start: 7, End: 8}}, Count{1, 1, 1, 1}},
		{"one page", []Mapping{{Start: gib, End: gib + PageSize}}, Count{1, 1, 1, 1}},
		{"one full PTE page", []Mapping{{Start: gib, End: gib + 2*mib}}, Count{1, 1, 1, 1}},
		{"one byte more", []Mapping{{Start: gib, End: gib + 2*mib + 1}}, Count{2, 1, 1, 1}},
		{"not aligned", []Mapping{{Start: gib + 4*kib, End: gib + 2*mib + 4*kib}}, Count{2, 1, 1, 1}},
		{"one full PMD page", []Mapping{{Start: 3 * gib, End: 4 * gib}}, Count{512, 1, 1, 1}},
		{"across a gigabyte", []Mapping{{Start: gib - 4*kib, End: gib + 4*kib}}, Count{2, 2, 1, 1}},
		{"across 512 GiB", []Mapping{{Start: 512*gib - 1, End: 512*gib + 1}}, Count{2, 2, 2, 1}},
		{"one full PUD page", []Mapping{{Start: 0, End: 512 * gib}}, Count{512 * 512, 512, 1, 1}},
		{"all user space", []Mapping{{Start: 0, End: 128 * tib}}, Count{128 * tib / (2 * mib), 128 * kib, 256, 1}},
		{"top of the address space", []Mapping{{Start: math.MaxUint64 - 1, End: math.MaxUint64}}, Count{1, 1, 1, 1}},
		{"same PTE page", []Mapping{{Start: 8 * kib, End: 12 * kib}, {Start: 0, End: 4 * kib}}, Count{1, 1, 1, 1}},
		{"same PMD page", []Mapping{{Start: 4 * mib, End: 5 * mib}, {Start: 0, End: 4 * kib}}, Count{2, 1, 1, 1}},
		{"contained", []Mapping{{Start: 0, End: 8 * mib}, {Start: 2 * mib, End: 4 * mib}, {Start: 0, End: mib}},
			Count{4, 1, 1, 1}},
		{"partitions of 64 GiB", []Mapping{{Start: 0, End: mib}, {Start: 64 * gib, End: 64*gib + mib}},
			Count{2, 2, 1, 1}},
		{"huge", []Mapping{{Start: gib, End: gib + 64*mib, Huge: true}}, Count{0, 1, 1, 1}},
		{"huge with ragged ends", []Mapping{{Start: gib + mib, End: gib + 5*mib, Huge: true}}, Count{2, 1, 1, 1}},
		{"huge too short", []Mapping{{Start: gib + mib, End: gib + 3*mib, Huge: true}}, Count{2, 1, 1, 1}},
		{"huge below one page", []Mapping{{Start: gib + mib, End: gib + mib + 1, Huge: true}}, Count{1, 1, 1, 1}},
		{"huge beside small", []Mapping{{Start: 0, End: 4 * mib, Huge: true}, {Start: 4 * mib, End: 8 * mib}},
			Count{2, 1, 1, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, Tables(tt.mappings))
		})
	}
}

func TestCount(t *testing.T) {
	c := Count{PTE: 5, PMD: 3, PUD: 2, PGD: 1}
	require.EqualValues(t, 11, c.Pages())
	require.EqualValues(t, 44, c.KiB())
	require.EqualValues(t, 40, c.VmPTE())
	require.EqualValues(t, uint64(math.MaxUint64), Count{PTE: math.MaxUint64, PGD: 1}.KiB())
}

// walk is the slow oracle: it visits every page and notes, in a set, each table
// page on the way from the root to it.
func walk(mappings []Mapping) Count {
	type table struct {
		level int
		index uint64
	}
	seen := make(map[table]bool)
	for _, m := range mappings {
		for page := m.Start / PageSize; page*PageSize < m.End && m.Start < m.End; page++ {
			at := page * PageSize
			huge := at / PTESpan * PTESpan // the huge page this one would be in
			if !m.Huge || huge < m.Start/PageSize*PageSize || huge+PTESpan > (m.End+PageSize-1)/PageSize*PageSize {
				seen[table{1, at / PTESpan}] = true
			}
			seen[table{2, at / PMDSpan}] = true
			seen[table{3, at / PUDSpan}] = true
			seen[table{4, 0}] = true
		}
	}
	var c Count
	for s := range seen {
		*[...]*uint64{&c.PTE, &c.PMD, &c.PUD, &c.PGD}[s.level-1]++
	}
	return c
}

// randomMappings makes up to 8 ranges of up to 8 MiB, most of them close to one
// another and to the borders of the levels, where sharing and mistakes happen.
func randomMappings(r *rand.Rand) []Mapping {
	borders := []uint64{0, 2 * mib, 64 * mib, gib, 64 * gib, 512 * gib, 100 * tib}
	ms := make([]Mapping, r.IntN(9))
	for i := range ms {
		at := borders[r.IntN(len(borders))]
		start := at + r.Uint64N(16*mib) - min(at, 8*mib)
		if r.IntN(2) == 0 {
			start = start / (2 * mib) * (2 * mib)
		}
		ms[i] = Mapping{Start: start, End: start + r.Uint64N(8*mib), Huge: r.IntN(3) == 0}
	}
	return ms
}

func TestTablesAgainstWalk(t *testing.T) {
	r := testkit.Rand(t)
	for range 300 {
		ms := randomMappings(r)
		require.Equal(t, walk(ms), Tables(ms), "%+v", ms)
	}
}

func TestTablesProperties(t *testing.T) {
	r := testkit.Rand(t)
	for range 5000 {
		ms := randomMappings(r)
		all := Tables(ms)
		r.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
		require.Equal(t, all, Tables(ms), "order does not matter: %+v", ms)
		require.Equal(t, all, Tables(append(ms, ms...)), "a range twice costs nothing: %+v", ms)

		cut := r.IntN(len(ms) + 1)
		before, added := ms[:cut], ms[cut:]
		a, g := Tables(before), Growth(before, added)
		sum := Count{a.PTE + g.PTE, a.PMD + g.PMD, a.PUD + g.PUD, a.PGD + g.PGD}
		require.Equal(t, all, sum, "growth is what is missing: %+v", ms)
		alone := Tables(added)
		require.LessOrEqual(t, g.PTE, alone.PTE)
		require.LessOrEqual(t, g.Pages(), alone.Pages(), "tables are shared, never doubled: %+v", ms)
	}
}

func BenchmarkTables(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run("mappings="+strconv.Itoa(n), func(b *testing.B) {
			ms := make([]Mapping, n)
			for i := range ms {
				ms[i] = Mapping{Start: uint64(i) * 64 * gib, End: uint64(i)*64*gib + 2*mib}
			}
			for b.Loop() {
				Tables(ms)
			}
		})
	}
}
