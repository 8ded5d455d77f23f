package datatype

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// TestHuge computes with layouts of which no memory could hold all.
func TestHuge(t *testing.T) {
	ok := must(t)
	rng := testkit.Rand(t)
	const blocks, stride = int64(1000000000), int64(1) << 33
	inner := ok(Vector(3, 1, 4, Int32)) // pieces of 4 bytes, 16 apart
	outer := ok(Hvector(blocks, 1, stride, inner))
	require.Equal(t, 12*blocks, outer.Size())
	_, extent := outer.TrueExtent()
	require.Equal(t, (blocks-1)*stride+36, extent)
	require.Less(t, len(outer.Flat().words), 40)
	require.EqualValues(t, 3*blocks, outer.Signature().Elements)

	displacement := func(offset int64) uintptr { // of a byte of the packed stream
		return uintptr(offset/12*stride + offset%12/4*16 + offset%4)
	}
	l, err := outer.Times(1)
	require.NoError(t, err)
	var segs [7]Segment
	for range 1000 {
		at := rng.Int64N(l.Size())
		n, total := Segments(segs[:], &l, 1<<40, at)
		for _, s := range segs[:n] {
			require.Equal(t, 1<<40+displacement(at), s.Addr)
			require.Equal(t, min(4-at%4, l.Size()-at), int64(s.Len))
			at += int64(s.Len)
			total -= int64(s.Len)
		}
		require.Zero(t, total)
		require.True(t, n == len(segs) || at == l.Size())
	}
}

func TestHugeCount(t *testing.T) {
	ok := must(t)
	record := ok(Struct([]int64{1, 3, 5}, []int64{0, 8, 32}, []*Type{Int32, Float64, Byte}))
	const count = int64(1) << 57
	l, err := record.Times(count)
	require.NoError(t, err)
	require.Equal(t, 33*count, l.Size())
	var segs [3]Segment
	n, total := Segments(segs[:], &l, 0, 33*(count-2)+4)
	last := uintptr((count - 2) * 40)
	require.Equal(t, []Segment{{last + 8, 29}, {last + 40, 4}, {last + 48, 29}}, segs[:n])
	require.EqualValues(t, 62, total)
	elements, whole := record.Elements(33*(count-2) + 4)
	require.True(t, whole)
	require.Equal(t, 9*(count-2)+1, elements)
}

// TestSparse copies across a huge span of memory that is mostly never touched.
func TestSparse(t *testing.T) {
	const span = int64(1) << 34
	memory := sparse(t, span)
	ok := must(t)
	dt := ok(Hvector(4, 1, span/4, ok(Vector(2, 1, 1<<20, Float64))))
	l, err := dt.Times(1)
	require.NoError(t, err)
	src := make([]byte, l.Size())
	for i := range src {
		src[i] = byte(i*7 + 1)
	}
	require.Equal(t, len(src), Unpack(src, &l, memory, 0))
	got := make([]byte, len(src))
	require.Equal(t, len(src), Pack(got, &l, memory, 0))
	require.Equal(t, src, got)
}

func TestExact(t *testing.T) {
	edges := []int64{0, 1, -1, 2, -2, 3, 1 << 31, -1 << 31, 1<<62 - 1, 1 << 62, -1 << 62, 1<<63 - 1, -1 << 63}
	for _, a := range edges {
		for _, b := range edges {
			var x exact
			x.add(a, b)
			require.Equal(t, b > 0 && a+b < a || b < 0 && a+b > a, x.overflow, "%d + %d", a, b)
			x = exact{}
			x.sub(a, b)
			require.Equal(t, b > 0 && a-b > a || b < 0 && a-b < a, x.overflow, "%d - %d", a, b)
			x = exact{}
			x.mul(a, b)
			require.Equal(t, !fits(a, b), x.overflow, "%d * %d", a, b)
		}
	}
}

// fits computes the product in 128 bits.
func fits(a, b int64) bool {
	hi, lo := bits.Mul64(uint64(abs(a)), uint64(abs(b)))
	limit := uint64(1<<63 - 1)
	if (a < 0) != (b < 0) {
		limit = 1 << 63
	}
	return hi == 0 && lo <= limit
}
