package capi

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The markers of MPI 1 bound a struct, of which they are no part.
func TestMarkersOfStructs(t *testing.T) {
	for _, row := range []struct {
		places     []int64
		types      []Type
		lb, extent int64
	}{
		{[]int64{-4, 0, 24}, []Type{LB, INT, UB}, -4, 28},
		{[]int64{0, 16}, []Type{INT, UB}, 0, 16},
		{[]int64{8, -8}, []Type{INT, LB}, -8, 20},
		{[]int64{16, 0, 32}, []Type{UB, INT, UB}, 0, 32},
		{[]int64{-3, 5}, []Type{LB, UB}, -3, 8},
	} {
		c := newProgram(t)
		var made Type
		ones := slices.Repeat([]int32{1}, len(row.types))
		c.call("MPI_Type_create_struct", len(row.types), ones, row.places, row.types, &made)
		size, lb, extent, _, _ := extents(c, made)
		require.Equal(t, [2]int64{row.lb, row.extent}, [2]int64{lb, extent}, row)
		require.Equal(t, slices.Contains(row.types, INT), size == 4, row)
		var ni, na, nt, combiner int32
		c.call("MPI_Type_get_envelope", made, &ni, &na, &nt, &combiner)
		require.Equal(t, []int32{COMBINER_RESIZED, 0, 2, 1}, []int32{combiner, ni, na, nt})
		var inner Type
		c.call("MPI_Type_get_contents", made, 0, 2, 1, []int32{}, make([]int64, 2), &inner)
		c.call("MPI_Type_get_envelope", inner, &ni, &na, &nt, &combiner)
		require.EqualValues(t, COMBINER_STRUCT, combiner)
		require.Equal(t, slices.Contains(row.types, INT), nt == 1, row)
	}
}

func TestWrongMarkers(t *testing.T) {
	for _, row := range []struct {
		lengths []int32
		places  []int64
		result  int
		extent  int64
	}{
		{[]int32{-1, 1, 1}, []int64{-4, 0, 24}, ERR_COUNT, 0},
		{[]int32{1, 1, 1}, []int64{math.MinInt64, 0, math.MaxInt64}, ERR_ARG, 0},
		{[]int32{0, 1, 0}, []int64{-4, 0, 24}, SUCCESS, 4}, // empty blocks
	} {
		c := newProgram(t)
		var made Type
		result := c.try("MPI_Type_create_struct", 3, row.lengths, row.places, []Type{LB, INT, UB}, &made)
		if require.Equal(t, row.result, result, row); result != SUCCESS {
			continue
		}
		_, _, extent, _, _ := extents(c, made)
		require.Equal(t, row.extent, extent, row)
	}
}
