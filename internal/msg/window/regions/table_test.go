package regions

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// tables are those of ranks that share memory.
func tables(ranks int) (all []*Table) {
	memory := make([]byte, ranks*Size)
	for rank := range ranks {
		all = append(all, New(memory, ranks, rank))
	}
	return all
}

// Memory is attached once, and not where nothing is mapped, or beyond the end of all addresses.
func TestAttach(t *testing.T) {
	all := tables(2)
	mine := all[1]
	for _, r := range []region{{0, 1}, {firstPage - 1, 1}, {math.MaxUint - 9, 11}} {
		require.ErrorIs(t, mine.Attach(r.base, r.bytes), ErrAttach)
	}
	for _, r := range []region{{0, 0}, {firstPage, 8}, {firstPage + 8, 8}, {firstPage + 32, 8}, {math.MaxUint - 7, 7}} {
		require.NoError(t, mine.Attach(r.base, r.bytes))
	}
	for _, r := range []region{{firstPage, 1}, {firstPage + 15, 2}, {firstPage + 31, 2}, {firstPage + 20, 100}} {
		require.ErrorIs(t, mine.Attach(r.base, r.bytes), ErrAttach)
	}
	require.NoError(t, mine.Attach(firstPage+4, 0), "nothing overlaps nothing")
	require.NoError(t, all[0].Attach(firstPage, 8), "another rank has memory of its own")
}

// All ranks see what a rank has attached, byte for byte, and no longer what it has detached.
func TestTablesOfOthers(t *testing.T) {
	const bytes = 60
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	all := tables(3)
	var is [bytes]bool
	attached := map[int]int{}
	for range 300 {
		at, n := random.IntN(bytes), 1+random.IntN(9)
		if n = min(n, bytes-at); attached[at] == 0 {
			free := true
			for i := range n {
				free = free && !is[at+i]
			}
			require.Equal(t, free, all[1].Attach(firstPage+uintptr(at), n) == nil)
			if free {
				attached[at] = n
				set(is[at:at+n], true)
			}
		} else {
			require.NoError(t, all[1].Detach(firstPage+uintptr(at)))
			set(is[at:at+attached[at]], false)
			delete(attached, at)
		}
		require.ErrorIs(t, all[1].Detach(firstPage+bytes), ErrDetach)
		for lo := range bytes {
			require.Equal(t, is[lo], all[2].Check(1, firstPage+uint64(lo), firstPage+uint64(lo)+1) == nil)
		}
		require.Error(t, all[0].Check(2, firstPage, firstPage+1))
	}
	err := all[0].Check(1, firstPage+bytes, firstPage+bytes+16)
	require.EqualError(t, err, "outside of the memory of the target: not all of 0x103c to 0x104b is attached to the "+
		"window there")
}

func set(list []bool, to bool) {
	for i := range list {
		list[i] = to
	}
}

// Each piece of a layout has to be attached, whatever lies between them.
func TestCheckPieces(t *testing.T) {
	const pieces, stride = 100, 16 // more than are looked at in a go
	element, err := datatype.Resized(datatype.Float64, 0, stride)
	require.NoError(t, err)
	table := tables(1)[0]
	check := func(pieces int) error {
		layout, err := element.Times(int64(pieces))
		require.NoError(t, err)
		return table.CheckPieces(0, &layout, firstPage, 8*pieces)
	}
	require.NoError(t, check(0))
	for i := range pieces {
		require.ErrorIs(t, check(i+1), ErrRange)
		require.NoError(t, table.Attach(firstPage+uintptr(i*stride), 8))
		require.NoError(t, check(i+1))
	}
	require.NoError(t, table.Detach(firstPage+70*stride))
	require.ErrorIs(t, check(pieces), ErrRange)
}

// If the writer was killed while it wrote nobody knows what is attached, and nothing is refused.
func TestWriterThatWasKilled(t *testing.T) {
	table := tables(1)[0]
	require.Error(t, table.Check(0, firstPage, firstPage+1))
	table.all[0].turn.Add(1)
	require.NoError(t, table.Check(0, firstPage, firstPage+1))
}
