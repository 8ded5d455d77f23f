package shared

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

func TestParseSetup(t *testing.T) {
	s, err := ParseSetup("", 0, false)
	require.NoError(t, err)
	require.Equal(t, Setup{}.Helpers, s.Helpers)
	s, err = ParseSetup("owner", 3, true)
	require.NoError(t, err)
	require.Equal(t, 3, s.Helpers)
	require.True(t, s.Check)
	require.Equal(t, cad.Owner, s.Policy)
	_, err = ParseSetup("soon", 0, false)
	require.ErrorContains(t, err, `policy "soon": there are [default owner share]`)
}

func TestHelpersAreSpread(t *testing.T) {
	for _, c := range []struct{ ranks, helpers, want int }{{4, 0, 0}, {4, 1, 1}, {4, 2, 2}, {5, 3, 3},
		{4, 9, 4}, {1, 1, 1}} {
		n := 0
		for rank := range c.ranks {
			if (Setup{Helpers: c.helpers}).Helps(rank, c.ranks) {
				n++
			}
		}
		require.Equal(t, c.want, n, "%+v", c)
	}
}
