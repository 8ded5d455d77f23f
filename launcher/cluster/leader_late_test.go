package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Ranks that are added go where slots are free, and then to one node after another.
func TestDealLate(t *testing.T) {
	for _, c := range []struct {
		name   string
		nodes  []int
		free   []int
		byNode bool
		want   []int
	}{
		{"one after another", []int{0, 1, 2}, []int{1, 0, 2}, false, []int{0, 2, 2, 0, 1, 2}},
		{"in turn", []int{0, 1, 2}, []int{1, 0, 2}, true, []int{0, 2, 2, 0, 1, 2}},
		{"in turn, all free", []int{0, 1, 2}, []int{2, 2, 2}, true, []int{0, 1, 2, 0, 1, 2}},
		{"some of the nodes", []int{2, 0}, []int{1, 5, 0}, false, []int{0, 2, 0, 2, 0, 2}},
		{"more than slots", []int{1}, []int{0, -3}, false, []int{1, 1, 1, 1, 1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, dealLate(c.nodes, c.free, 6, c.byNode)) })
	}
}

// A host is known by the name that the user has written, without the user, and by its own.
func TestNodesFor(t *testing.T) {
	l := &leader{}
	for _, names := range [][2]string{{"a", "a.example.org"}, {"me@b", "n2"}, {"c", "c"}} {
		l.agents = append(l.agents, &remote{name: names[0], ready: &ready{Hostname: names[1]}})
	}
	for list, want := range map[string][]int{"": {0, 1, 2}, "b": {1}, "n2,a": {1, 0}, "a.example.org": {0},
		"me@b": {1}, "localhost": {2}} {
		nodes, err := l.nodesFor(list, 2)
		require.NoError(t, err)
		require.Equal(t, want, nodes, list)
	}
	_, err := l.nodesFor("d", 0)
	require.EqualError(t, err, "host d is none of this job, which has a, me@b, c")
	_, err = l.nodesFor(",", 0)
	require.ErrorContains(t, err, "no name of a host")
}
