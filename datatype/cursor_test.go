package datatype

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/internal/testkit"
)

func TestCursor(t *testing.T) {
	rng := testkit.Rand(t)
	ok := must(t)
	dt := ok(Vector(10, 3, 5, Int16))
	l, err := dt.Times(4)
	require.NoError(t, err)
	mem := newMemory(&l).fill(rng)
	want := mem.gather(modelOf(dt).message(4))

	c := NewCursor(&l, mem.base())
	var got []byte
	for part := make([]byte, 7); c.Left() > 0; {
		got = append(got, part[:c.Pack(part)]...)
		require.EqualValues(t, len(got), c.Offset())
	}
	require.Equal(t, want, got)
	require.Zero(t, c.Pack(got))

	target := newMemory(&l)
	d := NewCursor(&l, target.base())
	d.SetOffset(100)
	require.EqualValues(t, len(want)-100, d.Left())
	require.Equal(t, len(want)-100, d.Unpack(want[100:]))
	d.SetOffset(-5)
	require.Zero(t, d.Offset())
	require.Equal(t, 100, d.Unpack(want[:100]))
	require.Equal(t, want, target.gather(modelOf(dt).message(4)))

	var segs [3]Segment
	d.SetOffset(4)
	n, total := d.Segments(segs[:])
	require.Equal(t, 3, n)
	require.EqualValues(t, 2+6+6, total)
	require.EqualValues(t, 18, d.Offset())
	d.SetOffset(1 << 60)
	require.Zero(t, d.Left())
}

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

func TestBuffer(t *testing.T) {
	ok := must(t)
	bytes := []byte("0123456789abcdefghij")
	at := sys.AddrOf(bytes)
	whole := Buffer{Base: at, Type: ok(Hindexed([]int64{3}, []int64{4}, Byte)), Count: 2}
	got, contiguous := whole.Contiguous()
	require.True(t, contiguous)
	require.Equal(t, "456789", string(got))
	require.EqualValues(t, 6, whole.Size())

	gaps := Buffer{Base: at + 10, Type: ok(Vector(3, 1, -2, Byte)), Count: 1}
	_, contiguous = gaps.Contiguous()
	require.False(t, contiguous)
	lo, hi, err := gaps.Span()
	require.NoError(t, err)
	require.Equal(t, []uintptr{at + 6, at + 11}, []uintptr{lo, hi})

	none, contiguous := Buffer{Base: at, Type: Byte}.Contiguous()
	require.True(t, contiguous)
	require.Empty(t, none)
	_, contiguous = Buffer{Base: at, Type: Float64, Count: -1}.Contiguous()
	require.False(t, contiguous)
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
				Segments(segs[:], &from, base, 2)
				c := NewCursor(&from, base)
				c.SetOffset(5)
				c.Pack(packed[:7])
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
