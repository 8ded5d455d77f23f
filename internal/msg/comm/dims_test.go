package comm

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDimsCreate(t *testing.T) {
	for _, k := range []struct {
		nodes int
		dims  []int
		want  []int
	}{
		{6, []int{0, 0}, []int{3, 2}}, // the examples of the standard
		{7, []int{0, 0}, []int{7, 1}},
		{6, []int{0, 3, 0}, []int{2, 3, 1}},
		{1, []int{0, 0, 0}, []int{1, 1, 1}},
		{1, nil, nil},
		{12, []int{3, 4}, []int{3, 4}},
		{36, []int{0, 0, 0}, []int{4, 3, 3}},
		{24, []int{0, 0, 0}, []int{4, 3, 2}},
		{240, []int{0, 0}, []int{16, 15}},
		{1000, []int{0, 0, 0}, []int{10, 10, 10}},
		{60, []int{0, 2, 0}, []int{6, 2, 5}},
		{5040, []int{0, 0, 0}, []int{21, 16, 15}}, // not 20, 18, 14: the shortest is longer
		{7488, []int{0, 0, 0}, []int{26, 18, 16}}, // not 24, 24, 13
		{5616, []int{0, 0, 0, 0}, []int{13, 9, 8, 6}},
		{98_784, []int{0, 0, 0, 0, 0}, []int{14, 14, 9, 8, 7}},
		{590_520, []int{0, 0, 0, 0}, []int{38, 37, 21, 20}},
		{367_567_200, []int{0, 0, 0, 0, 0, 0, 0, 0}, []int{17, 14, 13, 12, 11, 10, 10, 9}}, // many divisors
		{1_000_003, []int{0, 0}, []int{1_000_003, 1}},
		{1 << 30, []int{0, 0, 0, 0, 0}, []int{64, 64, 64, 64, 64}},
	} {
		dims := slices.Clone(k.dims)
		require.NoError(t, DimsCreate(k.nodes, dims))
		require.Equal(t, k.want, dims, "%d ranks, %v", k.nodes, k.dims)
	}
	for _, k := range []struct {
		nodes int
		dims  []int
		want  string
	}{
		{7, []int{0, 3, 0}, "do not divide 7 ranks"},
		{6, []int{2, 2}, "do not divide 6 ranks"},
		{6, []int{3}, "6 ranks do not fill dimensions [3]"},
		{6, nil, "6 ranks do not fill dimensions []"},
		{6, []int{-1, 0}, "dimension 0 is -1"},
		{0, []int{0}, "0 ranks: pass 1 or more"},
	} {
		dims := slices.Clone(k.dims)
		require.ErrorContains(t, DimsCreate(k.nodes, dims), k.want)
		require.Equal(t, k.dims, dims, "nothing is changed by a failing call")
	}
}

// TestDimsAreBalanced compares with a search among all pairs.
func TestDimsAreBalanced(t *testing.T) {
	for nodes := 1; nodes <= 300; nodes++ {
		best := nodes
		for d := 1; d <= nodes; d++ {
			if nodes%d == 0 {
				best = min(best, max(d, nodes/d))
			}
		}
		dims := []int{0, 0}
		require.NoError(t, DimsCreate(nodes, dims))
		require.Equal(t, []int{best, nodes / best}, dims)
	}
}
