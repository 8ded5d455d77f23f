package datatype

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

func TestOutOfRange(t *testing.T) {
	l, err := Byte.Times(10)
	require.NoError(t, err)
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

// TestScattered: long columns, in either direction, of which each word has a cache line of its own.
func TestScattered(t *testing.T) {
	d := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	for range 50 {
		n := 1 + d.Int64N(3*mostScattered)
		step := (cacheLine + d.Int64N(100)) &^ 7
		out, want, in := make([]byte, n*step), make([]byte, n*step), make([]byte, n*8)
		at, stride, place := sys.AddrOf(out), step, int64(0)
		if d.IntN(2) == 0 {
			at, stride, place = at+uintptr((n-1)*step), -step, (n-1)*step
		}
		for i := range in {
			in[i] = byte(d.Int())
			want[place+int64(i)/8*stride+int64(i)%8] = in[i]
		}
		strided(at, stride, sys.AddrOf(in), 8, n, 8)
		runtime.KeepAlive(in)
		require.True(t, bytes.Equal(want, out), "%d words, %d bytes apart", n, stride)
	}
}

// TestTransposed: blocks of any shape, to the rows or to the columns of another matrix.
func TestTransposed(t *testing.T) {
	testkit.OneGoroutine(t)
	d := rand.New(rand.NewPCG(testkit.Seed(t), 1))
	for range 300 {
		rows, runs, size := 1+d.Int64N(300), 1+d.Int64N(300), int64(1)<<d.IntN(5)
		wide, high := runs+d.Int64N(9), rows+d.Int64N(9)
		in, out := make([]byte, rows*wide*size), make([]byte, runs*high*size)
		for i := range in {
			in[i] = byte(d.Int())
		}
		want := make([]byte, len(out))
		for i := range rows {
			for j := range runs {
				copy(want[(j*high+i)*size:][:size], in[(i*wide+j)*size:])
			}
		}
		to, from := grid{sys.AddrOf(out), size, high * size}, grid{sys.AddrOf(in), wide * size, size}
		if d.IntN(2) == 0 {
			plane(to, from, rows, runs, size)
		} else {
			plane(to.turned(), from.turned(), runs, rows, size)
		}
		runtime.KeepAlive(in)
		require.True(t, bytes.Equal(want, out), "%d x %d of %d bytes", rows, runs, size)
	}
}
