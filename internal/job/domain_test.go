package job

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDomains(t *testing.T) {
	r := testRoot(t, Config{Ranks: 3})
	require.Equal(t, NoDomain, r.Domain(0))
	require.Equal(t, NoDomain, r.Domain(-1))
	for _, d := range []Domain{{0, 0}, {11, Unknown}, {Unknown, 3}, {65534, 65534}, NoDomain} {
		r.SetDomains(1, []Domain{d, {7, 1}})
		require.Equal(t, d, r.Domain(1))
	}
	require.Equal(t, Domain{7, 1}, r.Domain(2))
	r.SetDomains(2, []Domain{{65535, 1 << 20}, {1, 1}})
	require.Equal(t, NoDomain, r.Domain(2), "a number without room is not known")

	// Each node knows of its own ranks.
	r = testRoot(t, Config{Ranks: 4, Nodes: []int{0, 1, 0, 1}, Node: 1, Domains: []Domain{{5, 1}, {6, 2}}})
	require.Equal(t, []Domain{NoDomain, {5, 1}, NoDomain, {6, 2}},
		[]Domain{r.Domain(0), r.Domain(1), r.Domain(2), r.Domain(3)})
}
