package cad

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseSetup(t *testing.T) {
	s, err := ParseSetup("", "")
	require.NoError(t, err)
	require.Equal(t, Setup{}.Helpers, s.Helpers)
	s, err = ParseSetup("owner", "3")
	require.NoError(t, err)
	require.Equal(t, 3, s.Helpers)
	require.Equal(t, Owner, s.Policy)
	_, err = ParseSetup("soon", "")
	require.ErrorContains(t, err, `policy "soon": there are [default owner share]`)
	for _, bad := range []string{"x", "-1", "1.5"} {
		_, err = ParseSetup("", bad)
		require.ErrorContains(t, err, "is not a number of helpers")
	}
}

func TestHelpersAreSpread(t *testing.T) {
	for _, c := range []struct{ ranks, helpers, want int }{{4, 0, 0}, {4, 1, 1}, {4, 2, 2}, {5, 3, 3}, {4, 9, 4}, {1, 1, 1}} {
		n := 0
		for rank := range c.ranks {
			if (Setup{Helpers: c.helpers}).Helps(rank, c.ranks) {
				n++
			}
		}
		require.Equal(t, c.want, n, "%+v", c)
	}
}
