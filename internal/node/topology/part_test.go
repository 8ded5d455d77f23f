package topology_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/internal/node/topology/topologytest"
)

func TestPartOf(t *testing.T) {
	const none = topology.Unknown
	threaded, hidden := topologytest.Threaded, topologytest.Board
	hidden.Hidden = []string{"index", "node/"}
	for _, c := range []struct {
		name  string
		shape topologytest.Shape
		cpus  []int
		want  []int // from the thread to the NUMA node
	}{
		{"one CPU", threaded, []int{21}, []int{21, 5, 5, 5, 4, 0, 4}},
		{"the threads of a core", threaded, []int{5, 21}, []int{none, 5, 5, 5, 4, 0, 4}},
		{"an L3 domain", threaded, []int{4, 5, 20}, []int{none, none, none, none, 4, 0, 4}},
		{"a node", threaded, []int{4, 7}, []int{none, none, none, none, none, 0, 4}},
		{"a socket", threaded, []int{9, 12}, []int{none, none, none, none, none, 8, none}},
		{"all", threaded, threaded.All(), []int{none, none, none, none, none, none, none}},
		{"no CPU", threaded, nil, []int{none, none, none, none, none, none, none}},
		{"no such CPU", threaded, []int{99}, []int{99, none, none, none, none, none, none}},
		{"neither caches nor nodes", hidden, []int{9}, []int{9, 9, none, none, none, 0, none}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []int
			for part := topology.PartThread; part <= topology.PartNode; part++ {
				got = append(got, topology.PartOf(c.shape.FS(), part, c.cpus))
			}
			require.Equal(t, c.want, got)
		})
	}
}
