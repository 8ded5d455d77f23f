package datatype

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each process of a grid has the elements that the standard deals out to it.
func TestDarrayPlaces(t *testing.T) {
	block, cyclic := []Dimension{{7, DistributeBlock, DistributeDefault, 3}},
		[]Dimension{{7, DistributeCyclic, DistributeDefault, 3}}
	for _, c := range []struct {
		dims []Dimension
		rank int64
		want []uintptr
	}{
		{block, 0, []uintptr{0, 1, 2}}, {block, 1, []uintptr{3, 4, 5}}, {block, 2, []uintptr{6}},
		{cyclic, 0, []uintptr{0, 3, 6}}, {cyclic, 1, []uintptr{1, 4}}, {cyclic, 2, []uintptr{2, 5}},
		{[]Dimension{{7, DistributeCyclic, 2, 3}}, 0, []uintptr{0, 1, 6}},
		{[]Dimension{{7, DistributeCyclic, 2, 3}}, 2, []uintptr{4, 5}},
	} {
		dt, err := Darray(3, c.rank, c.dims, OrderC, Byte)
		require.NoError(t, err)
		one, err := dt.Times(1)
		require.NoError(t, err)
		var list [16]Segment
		n, _ := Segments(list[:], &one, 0, 0)
		var got []uintptr
		for _, s := range list[:n] {
			for i := range uintptr(s.Len) {
				got = append(got, s.Addr+i)
			}
		}
		require.Equal(t, c.want, got, "%+v", c)
	}
}

// A grid has as many processes as there are, and a rank is one of them.
func TestDarrayOfAnotherGrid(t *testing.T) {
	grid := []Dimension{{8, DistributeBlock, DistributeDefault, 2}, {8, DistributeBlock, DistributeDefault, 2}}
	_, err := Darray(4, 3, grid, OrderC, Byte)
	require.NoError(t, err)
	for _, c := range [][2]int64{{4, -1}, {4, 4}, {5, 0}, {3, 0}} {
		_, err := Darray(c[0], c[1], grid, OrderC, Byte)
		require.ErrorIs(t, err, ErrArgument, c)
	}
}

// An element has bytes, and is aligned to a power of two.
func TestBasicIsRefused(t *testing.T) {
	for _, c := range [][2]int64{{0, 1}, {-1, 1}, {4, 0}, {4, 3}, {4, -4}} {
		_, err := Basic("odd", KindByte, c[0], c[1])
		require.ErrorIs(t, err, ErrArgument, c)
	}
}
