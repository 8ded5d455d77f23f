package datatype

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// memory is a message in memory with room around it.
type memory struct {
	bytes []byte
	zero  int64 // index of displacement zero
}

const room = 64

func newMemory(l *Layout) memory {
	lo, hi := l.Span()
	return memory{make([]byte, hi-lo+2*room), room - lo}
}

func (m memory) base() uintptr { return sys.AddrOf(m.bytes) + uintptr(m.zero) }

func (m memory) fill(rng *rand.Rand) memory {
	for i := range m.bytes {
		m.bytes[i] = byte(rng.Uint32())
	}
	return m
}

// gather packs by the model.
func (m memory) gather(model []int64) []byte {
	packed := make([]byte, len(model))
	for i, d := range model {
		packed[i] = m.bytes[m.zero+d]
	}
	return packed
}

// scatter unpacks a range by the model.
func (m memory) scatter(model []int64, packed []byte, offset int) {
	for i, b := range packed {
		m.bytes[m.zero+model[offset+i]] = b
	}
}

// ranges cuts n bytes at random places.
func ranges(rng *rand.Rand, n int) []int {
	cuts := []int{0, n}
	for range rng.IntN(6) {
		cuts = append(cuts, rng.IntN(n+1))
	}
	slices.Sort(cuts)
	return cuts
}

func TestRandomTypes(t *testing.T) {
	rng := testkit.Rand(t)
	for range testkit.Rounds(3000) {
		a := randomType(rng, 5)
		checkMessage(t, rng, a, int64(rng.IntN(5)))
	}
}

// checkMessage checks all ways to move count elements of a type.
func checkMessage(t testing.TB, rng *rand.Rand, dt *Type, count int64) {
	m := checkType(t, dt)
	list := m.message(count)
	flat := dt.Flat()
	require.NoError(t, checkFlat(flat), "%v", dt)
	l, err := flat.Times(count)
	require.NoError(t, err, "%v", dt)
	require.EqualValues(t, len(list), l.Size())
	if len(list) == 0 {
		return
	}
	lo, hi := l.Span()
	require.Equal(t, slices.Min(list), lo)
	require.Equal(t, slices.Max(list)+1, hi)
	origin, contiguous := l.Contiguous()
	require.Equal(t, list[0], origin)
	for i := 1; i < len(list) && contiguous; i++ {
		require.Equal(t, origin+int64(i), list[i], "%v times %d is not contiguous", dt, count)
	}

	mem := newMemory(&l).fill(rng)
	want := mem.gather(list)
	checkPack(t, rng, dt, &l, mem, want)
	checkSegments(t, rng, dt, &l, mem, list)
	if !overlaps(list) {
		checkUnpack(t, rng, dt, &l, list, want)
		checkCopy(t, rng, dt, &l, mem, list)
	}
}

func checkPack(t testing.TB, rng *rand.Rand, dt *Type, l *Layout, mem memory, want []byte) {
	cuts := ranges(rng, len(want))
	got := make([]byte, len(want))
	for i, from := range cuts[:len(cuts)-1] {
		n := Pack(got[from:cuts[i+1]], l, mem.base(), int64(from))
		require.Equal(t, cuts[i+1]-from, n)
	}
	require.Equal(t, want, got, "pack %v at %v", dt, cuts)
}

func checkUnpack(t testing.TB, rng *rand.Rand, dt *Type, l *Layout, list []int64, packed []byte) {
	cuts := ranges(rng, len(packed))
	got := newMemory(l)
	want := newMemory(l)
	want.scatter(list, packed, 0)
	for i, from := range cuts[:len(cuts)-1] {
		Unpack(packed[from:cuts[i+1]], l, got.base(), int64(from))
	}
	require.True(t, bytes.Equal(want.bytes, got.bytes), "unpack %v at %v", dt, cuts)
}

func checkSegments(t testing.TB, rng *rand.Rand, dt *Type, l *Layout, mem memory, list []int64) {
	segs := make([]Segment, 1+rng.IntN(20))
	at := rng.IntN(len(list))
	for at < len(list) {
		n, total := Segments(segs, l, mem.base(), int64(at))
		require.Positive(t, n)
		before := at
		for _, s := range segs[:n] {
			for i := range s.Len {
				require.Equal(t, mem.base()+uintptr(list[at]), s.Addr+uintptr(i), "segments of %v", dt)
				at++
			}
		}
		require.EqualValues(t, at-before, total)
	}
}

// checkCopy copies to memory of another layout that has room for as many bytes.
func checkCopy(t testing.TB, rng *rand.Rand, dt *Type, l *Layout, mem memory, list []int64) {
	for range 3 {
		other := randomType(rng, 4)
		if other.Size() == 0 {
			continue
		}
		count := min(int64(len(list))/other.Size()+1, 200)
		m := modelOf(other)
		target := m.message(count)
		if rng.IntN(4) == 0 {
			other, count, target = dt, l.Size()/dt.Size(), list
		}
		if overlaps(target) {
			continue
		}
		to, err := other.Times(count)
		require.NoError(t, err)
		got, want := newMemory(&to), newMemory(&to)
		n := min(len(list), len(target))
		want.scatter(target, mem.gather(list)[:n], 0)
		cuts := ranges(rng, n)
		for i, from := range cuts[:len(cuts)-1] {
			k := Copy(&to, got.base(), l, mem.base(), int64(from), int64(cuts[i+1]-from))
			require.EqualValues(t, cuts[i+1]-from, k)
		}
		require.True(t, bytes.Equal(want.bytes, got.bytes), "copy %v to %d of %v at %v", dt, count, other, cuts)
		got = newMemory(&to)
		parts := 1 + rng.IntN(7)
		for _, i := range rng.Perm(parts) {
			CopyPart(&to, got.base(), l, mem.base(), int64(n), int64(i), int64(parts))
		}
		require.True(t, bytes.Equal(want.bytes, got.bytes), "copy %v to %d of %v in %d parts", dt, count, other, parts)
	}
}

// TestSharedCopy has several goroutines copy one message, and make its flat form.
func TestSharedCopy(t *testing.T) {
	rng := testkit.Rand(t)
	ok := must(t)
	const sharers, count = 4, 50
	record := ok(Struct([]int64{1, 3, 5}, []int64{0, 8, 32}, []*Type{Int32, Float64, Byte}))
	dt := ok(Vector(7, 2, 3, record))
	var mem, got memory
	var once sync.Once
	start := func() {
		l, err := dt.Times(count)
		require.NoError(t, err)
		mem, got = newMemory(&l).fill(rng), newMemory(&l)
	}
	var wg sync.WaitGroup
	for i := range int64(sharers) {
		wg.Go(func() {
			l, err := dt.Times(count)
			if err != nil {
				t.Error(err)
				return
			}
			once.Do(start)
			CopyPart(&l, got.base(), &l, mem.base(), l.Size(), i, sharers)
		})
	}
	wg.Wait()
	list := modelOf(dt).message(count)
	require.Equal(t, mem.gather(list), got.gather(list))
}

// TestManyRows has layouts with more rows than the tiles of plane.go and the groups of
// whole.go.
func TestManyRows(t *testing.T) {
	testkit.OneGoroutine(t)
	rng := testkit.Rand(t)
	ok := must(t)
	const rows, columns = 131, 50
	cell := ok(Contiguous(3, Byte))
	for _, element := range []*Type{Byte, cell, Int32, Float64, Complex128} {
		size := element.Size()
		column := ok(Resized(ok(Vector(rows, 1, columns, element)), 0, size))
		checkMessage(t, rng, column, columns)
		checkMessage(t, rng, ok(Contiguous(7, column)), 2)
		wide := ok(Hvector(rows, 1, size*columns+64, element)) // no rows end where others begin
		checkMessage(t, rng, ok(Hvector(columns, 1, size, wide)), 1)
		checkMessage(t, rng, ok(Hvector(columns, 1, -size, wide)), 1)
	}
	record := ok(Struct([]int64{1, 3, 5}, []int64{0, 8, 32}, []*Type{Int32, Float64, Byte}))
	checkMessage(t, rng, record, 201)
	checkMessage(t, rng, ok(Vector(3, 70, 80, record)), 2)
	at := make([]int64, 200)
	for i := range at {
		at[i] = int64(i*20 + i%3)
	}
	checkMessage(t, rng, ok(HindexedBlock(1, at, Int32)), 9)
	checkMessage(t, rng, ok(HindexedBlock(1, at, ok(Vector(2, 1, 2, Float64)))), 3)
}
