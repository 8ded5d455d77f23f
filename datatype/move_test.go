package datatype

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/sys"
)

func TestOutOfRange(t *testing.T) {
	l := ContiguousLayout(10)
	b := make([]byte, 20)
	at := sys.AddrOf(b)
	require.Zero(t, Pack(b, &l, at, 10))
	require.Zero(t, Pack(b, &l, at, -1))
	require.Zero(t, Pack(nil, &l, at, 0))
	require.Zero(t, Unpack(b, &l, at, 1<<60))
	require.Zero(t, Copy(&l, at, &l, at+10, 5, -1))
	require.EqualValues(t, 5, Copy(&l, at, &l, at+10, 5, 1<<62))
	var empty Layout
	require.Zero(t, Pack(b, &empty, at, 0))
	n, total := Segments(nil, &l, at, 0)
	require.Zero(t, n)
	require.Zero(t, total)
}

// TestNoAllocation covers each of the ways of the engine.
func TestNoAllocation(t *testing.T) {
	ok := must(t)
	record := ok(Struct([]int64{1, 3, 5}, []int64{0, 8, 32}, []*Type{Int32, Float64, Byte}))
	types := []*Type{
		Float64,
		record,
		ok(Vector(20, 2, 5, Int32)),
		ok(Hvector(5, 1, 800, ok(Vector(3, 1, 4, record)))),
		ok(IndexedBlock(1, []int64{9, 3, 4, 20}, record)),
		ok(Subarray([]int64{6, 6, 6}, []int64{2, 3, 4}, []int64{1, 1, 1}, OrderFortran, Float64)),
	}
	mem, other := make([]byte, 1<<16), make([]byte, 1<<16)
	packed := make([]byte, 4000)
	base, otherBase := sys.AddrOf(mem), sys.AddrOf(other)
	var segs [32]Segment
	for _, a := range types {
		for _, b := range types {
			require.Zero(t, testing.AllocsPerRun(10, func() {
				from, _ := a.Times(4)
				to, _ := b.Times(4)
				Pack(packed, &from, base, 3)
				Unpack(packed[:from.Size()-3], &from, base, 3)
				Copy(&to, otherBase, &from, base, 1, from.Size())
				CopyPart(&to, otherBase, &from, base, 100, 1, 3)
				Segments(segs[:], &from, base, 2)
			}), "%v to %v", a, b)
		}
	}
}

func TestSegmentsThatTouchAreOne(t *testing.T) {
	ok := must(t)
	dt := ok(Resized(ok(Hindexed([]int64{1, 1}, []int64{0, 8}, Int32)), 0, 12))
	l, err := dt.Times(3)
	require.NoError(t, err)
	var segs [9]Segment
	n, total := Segments(segs[:], &l, 100, 1)
	require.Equal(t, []Segment{{101, 3}, {108, 8}, {120, 8}, {132, 4}}, segs[:n])
	require.EqualValues(t, 23, total)
}
