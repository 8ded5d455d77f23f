package datatype

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// sparse reserves memory of which only what is touched takes space.
func sparse(t testing.TB, length int64) uintptr {
	t.Helper()
	addr, err := sys.Mmap(0, uintptr(length), sys.ProtRead|sys.ProtWrite,
		sys.MapPrivate|sys.MapAnonymous|sys.MapNoReserve, -1, 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sys.Munmap(addr, uintptr(length))) })
	return addr
}

// FuzzConstructors reads the bytes as a program that makes a type, and checks all that the
// model knows.
func FuzzConstructors(f *testing.F) {
	rng := testkit.Rand(f)
	for range 20 {
		program := make([]byte, 60)
		for i := range program {
			program[i] = byte(rng.Uint32())
		}
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		s := &script{program}
		dt := randomType(s, 6)
		checkMessage(t, rand.New(rand.NewPCG(1, 2)), dt, int64(s.IntN(4)))
	})
}

// FuzzArguments calls constructors with any numbers: they fail, or give a type whose flat
// form is in order.
func FuzzArguments(f *testing.F) {
	f.Add(int64(3), int64(1), int64(4), int64(-5), uint8(1))
	f.Add(int64(1)<<62, int64(1), int64(-1)<<63, int64(1), uint8(3))
	f.Fuzz(func(t *testing.T, a, b, c, d int64, which uint8) {
		dt, err := Float64Int32, error(nil)
		for range 3 {
			switch which % 6 {
			case 0:
				dt, err = Vector(a, b, c, dt)
			case 1:
				dt, err = Hvector(a, b, d, dt)
			case 2:
				dt, err = Hindexed([]int64{a, b, a, b}, []int64{c, d, d, c}, dt)
			case 3:
				dt, err = Resized(dt, c, d)
			case 4:
				dt, err = Subarray([]int64{a, b}, []int64{c, d}, []int64{0, 1}, OrderC, dt)
			case 5:
				dt, err = Darray(a, b, []Dimension{
					{c, DistributeCyclic, b, a}, {d, DistributeBlock, DistributeDefault, 1},
				}, OrderFortran, dt)
			}
			if err != nil {
				require.Nil(t, dt)
				return
			}
			which /= 6
		}
		checkNormal(t, dt.body.data)
		require.NoError(t, checkFlat(dt.Flat()))
		useFlat(dt.Flat())
	})
}

// useFlat calls what reads a flat form without touching the memory it describes.
func useFlat(flat Flat) {
	for _, count := range []int64{1, 2, 1 << 40} {
		l, err := flat.Times(count)
		if err != nil {
			continue
		}
		l.Contiguous()
		l.Span()
		var segs [16]Segment
		for _, at := range []int64{0, 1, l.Size() / 2, l.Size() - 1} {
			Segments(segs[:], &l, 0, at)
		}
	}
}

// TestContiguousNodes has forms that would keep Segments busy for ever.
func TestContiguousNodes(t *testing.T) {
	ok := must(t)
	loop := ok(Vector(1<<50, 1, 2, Byte)).Flat()
	loop.words[headerWords+3] = 1 // the stride
	loop.words[wordTrueExtent] = 1 << 50
	require.ErrorContains(t, checkFlat(loop), "the node at word 9 is damaged")

	list := ok(Hindexed([]int64{1, 2}, []int64{0, 2}, Byte)).Flat()
	list.words[headerWords+listFirst+entryWords+1] = 1 // the second displacement
	list.words[wordTrueExtent] = 3
	require.ErrorContains(t, checkFlat(list), "the node at word 9 is damaged")
}
