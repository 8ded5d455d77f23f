package board

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// placed is a job of which nothing is asked but where ranks run.
type placed struct {
	Job
	domains []job.Domain
}

func (p placed) Domain(rank int) job.Domain { return p.domains[rank] }

func treesOf(domains []job.Domain) (trees []*tree) {
	for rank := range domains {
		m := Members{Job: placed{domains: domains}, Rank: rank, Size: len(domains)}
		trees = append(trees, m.growTree())
	}
	return trees
}

// The invariant of tree.go, and that all members see the same tree, wherever they run.
func TestTreeCrossesEachBorderOnce(t *testing.T) {
	d := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	grown := 0
	for range 300 {
		size, caches := 2+d.IntN(40), 1+d.IntN(9)
		var domains []job.Domain
		for range size {
			l3 := d.IntN(caches)
			domains = append(domains, job.Domain{L3: l3, NUMA: l3 / 2})
		}
		trees := treesOf(domains)
		if trees[0] == nil || trees[0].groups == nil {
			for _, tree := range trees {
				require.True(t, tree == nil || tree.groups == nil)
			}
			continue
		}
		grown++
		borders, nodes, places := map[int]int{}, map[int]int{}, map[int32]bool{}
		for m, tree := range trees {
			require.LessOrEqual(t, len(tree.children), 3*(mostFlat-1), "of its domain, its node, and all nodes")
			require.Equal(t, trees[0].order, tree.order)
			places[tree.order[m]] = true
			if m == 0 {
				require.Equal(t, -1, tree.parent)
				continue
			}
			require.Less(t, tree.parent, m)
			if domains[m] != domains[tree.parent] {
				borders[domains[m].L3]++
			}
			if domains[m].NUMA != domains[tree.parent].NUMA {
				nodes[domains[m].NUMA]++
			}
			within := false
			for _, c := range trees[tree.parent].children {
				within = within || c.member == m
			}
			require.True(t, within)
		}
		require.Len(t, places, size)
		delete(borders, domains[0].L3)
		for l3, n := range borders {
			require.Equal(t, 1, n, "domain %d of %v", l3, domains)
		}
		for _, n := range nodes {
			require.Equal(t, 1, n)
		}
		requireBelow(t, trees)
	}
	require.NotZero(t, grown)
}

// requireBelow: the places that a child has are those of the members below it.
func requireBelow(t *testing.T, trees []*tree) {
	for m, tree := range trees {
		for _, c := range tree.children {
			count := 0
			for other := range trees {
				below := other
				for below > 0 && below != c.member {
					below = trees[below].parent
				}
				require.Equal(t, below == c.member, tree.has(m, &c, other))
				if below == c.member {
					count++
				}
			}
			require.Equal(t, c.count, count)
		}
	}
}

// Where there is nothing to gain, or nothing known, there is no tree.
func TestTreeOfOneDomain(t *testing.T) {
	at := func(list ...job.Domain) []job.Domain { return list }
	u := job.Unknown
	for _, c := range []struct {
		name    string
		domains []job.Domain
		parents []int // nil: no tree
	}{
		{"unknown", at(job.NoDomain, job.NoDomain, job.NoDomain, job.NoDomain), nil},
		{"one", at(job.Domain{}, job.Domain{}, job.Domain{}, job.Domain{}), nil},
		{"the first unknown", at(job.NoDomain, job.Domain{L3: 1}, job.Domain{L3: 1}, job.Domain{L3: 2}), nil},
		{"another unknown", at(job.Domain{}, job.Domain{L3: 1}, job.Domain{L3: 1}, job.NoDomain), nil},
		{"a domain each", at(job.Domain{}, job.Domain{L3: 1}, job.Domain{L3: 2}), nil},
		{"two caches", at(job.Domain{}, job.Domain{L3: 1}, job.Domain{L3: 1}, job.Domain{}), []int{-1, 0, 1, 0}},
		{"nodes known only", at(job.Domain{L3: u}, job.Domain{L3: 1, NUMA: 1}, job.Domain{L3: u, NUMA: 1},
			job.Domain{}), []int{-1, 0, 1, 0}},
		{"caches of several nodes", at(job.Domain{}, job.Domain{NUMA: 1}, job.Domain{L3: 1, NUMA: 2},
			job.Domain{L3: 1, NUMA: 3}, job.Domain{L3: 1, NUMA: 3}, job.Domain{L3: 1, NUMA: 3}, job.Domain{NUMA: 1},
			job.Domain{NUMA: 1}), []int{-1, 0, 0, 2, 3, 3, 1, 1}},
	} {
		for m, tree := range treesOf(c.domains) {
			if c.parents == nil {
				require.Nil(t, tree, c.name)
			} else {
				require.Equal(t, c.parents[m], tree.parent, "%s: member %d", c.name, m)
			}
		}
	}
	many, byNumber := slices.Repeat(at(job.NoDomain), 23), []int32{}
	for _, tree := range treesOf(many) {
		byNumber = append(byNumber, int32(tree.parent))
		require.Nil(t, tree.groups)
	}
	require.Equal(t, []int32{-1, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5}, byNumber)
	requireBelow(t, treesOf(many))
	require.Nil(t, treesOf(many[:MostMembers])[0], "they have a ring")
	m := Members{Job: placed{domains: at(job.Domain{}, job.Domain{L3: 1}, job.Domain{L3: 1}, job.Domain{})}, Size: 4}
	m.Oversubscribed = true
	require.Nil(t, m.growTree(), "members that share CPUs wait for these")
	m.Oversubscribed, m.Flat = false, true
	require.Nil(t, m.growTree())
}
