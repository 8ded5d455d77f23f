package btl

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// memory is not on a stack, which moves.
var memory = make([]byte, 1000)

// randomBuffer is bytes of a memory in one piece, or in a layout of few runs; at tells which.
func randomBuffer(t *testing.T, r *rand.Rand) (b Buffer, at map[int]bool) {
	at = map[int]bool{}
	if r.IntN(3) == 0 {
		start, n := r.IntN(16+8*meetsRuns), r.IntN(9)
		b.Bytes = memory[start : start+n]
		for i := range b.Bytes {
			at[start+i] = true
		}
		return b, at
	}
	blocks, length, stride, first := 1+r.IntN(meetsRuns), r.IntN(4), 4+r.IntN(4), r.IntN(16)
	v, err := datatype.Vector(int64(blocks), int64(length), int64(stride), datatype.Byte)
	require.NoError(t, err)
	l, err := v.Times(1)
	require.NoError(t, err)
	b = Buffer{Bytes: memory, Layout: &l, Base: sys.AddrOf(memory) + uintptr(first)}
	for i := range blocks {
		for j := range length {
			at[first+i*stride+j] = true
		}
	}
	return b, at
}

// TestMeets compares with sets of bytes.
func TestMeets(t *testing.T) {
	r := testkit.Rand(t)
	met := 0
	for range 20_000 {
		a, in := randomBuffer(t, r)
		b, also := randomBuffer(t, r)
		want := false
		for i := range in {
			want = want || also[i]
		}
		require.Equal(t, want, a.Meets(&b), "%v and %v", in, also)
		require.Equal(t, want, b.Meets(&a))
		require.Equal(t, want, Twice(a, Buffer{}, b))
		if want {
			met++
		}
	}
	require.NotZero(t, met)
}

// TestMeetsLongLayouts: what cannot be told cheaply is not refused; one buffer for both is found.
func TestMeetsLongLayouts(t *testing.T) {
	column, err := datatype.Vector(100, 1, 10, datatype.Byte)
	require.NoError(t, err)
	l, err := column.Times(1)
	require.NoError(t, err)
	a := Buffer{Bytes: memory, Layout: &l, Base: sys.AddrOf(memory)}
	b := Buffer{Bytes: memory, Layout: &l, Base: sys.AddrOf(memory) + 1}
	require.True(t, a.Meets(&a))
	require.False(t, a.Meets(&b), "columns that lie side by side")
	require.Zero(t, testing.AllocsPerRun(10, func() { a.Meets(&b) }))
}

// TestTwice: within one message.
func TestTwice(t *testing.T) {
	layout := func(blocks, length, stride int64) Buffer {
		v, err := datatype.Vector(blocks, length, stride, datatype.Byte)
		require.NoError(t, err)
		l, err := v.Times(1)
		require.NoError(t, err)
		return Buffer{Bytes: memory, Layout: &l, Base: sys.AddrOf(memory)}
	}
	require.False(t, Twice(layout(3, 4, 5)))
	require.True(t, Twice(layout(3, 4, 3)))
	require.True(t, Twice(layout(2, 4, 0)))
	far, err := datatype.Indexed([]int64{3, 1, 2}, []int64{0, 500, 2}, datatype.Byte) // with more room than bytes
	require.NoError(t, err)
	l, err := far.Times(1)
	require.NoError(t, err)
	require.True(t, Twice(Buffer{Layout: &l, Base: sys.AddrOf(memory)}))
	full := layout(2*twiceRuns, 1, 2)
	require.False(t, Twice(full), "of which all runs but the first are not looked at")
	require.True(t, Twice(full, Buffer{Bytes: memory[:2]}, layout(3, 4, 5)), "messages that have no room left")
}
