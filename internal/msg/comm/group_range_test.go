package comm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGroupRanges(t *testing.T) {
	g := consecutive(0, 0, 10)
	for _, c := range []struct {
		ranges []Range
		incl   []int32
	}{
		{[]Range{{0, 9, 3}}, []int32{0, 3, 6, 9}},
		{[]Range{{8, 1, -3}, {0, 0, 1}}, []int32{8, 5, 2, 0}},
		{[]Range{{5, 4, 1}}, []int32{}},
		{nil, []int32{}},
	} {
		in, err := g.RangeIncl(c.ranges...)
		require.NoError(t, err)
		require.Equal(t, c.incl, in.ranks)
		out, err := g.RangeExcl(c.ranges...)
		require.NoError(t, err)
		require.Equal(t, Identical, out.Compare(g.Difference(in)))
	}
	for _, bad := range [][]Range{{{0, 3, 0}}, {{0, 10, 1}}, {{-1, 3, 1}}, {{0, 1 << 40, 1}}, {{0, 3, 1}, {3, 4, 1}}} {
		_, err := g.RangeIncl(bad...)
		require.Error(t, err, "%v", bad)
		_, err = g.RangeExcl(bad...)
		require.Error(t, err, "%v", bad)
	}
}
