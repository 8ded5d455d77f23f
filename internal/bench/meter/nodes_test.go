package meter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/launcher"
)

const numaMaps = `00400000 default file=/bin/x=y\040z mapped=5 N0=5 kernelpagesize_kB=4
10001000 prefer:1 anon=3 dirty=3 N0=1 N1=2 kernelpagesize_kB=4
20001000 interleave:0-1 file=/bin/x anon=1 dirty=1 active=0 N0=2 N1=1 kernelpagesize_kB=4
20400000 default anon=1 dirty=1 N1=1 kernelpagesize_kB=2048
30000000 default anon=4 dirty=4 N0=1 N1=3 kernelpagesize_kB=4
40000000 default
50000000 default file=/memfd:pvas-job\040(deleted) dirty=7 N1=7 kernelpagesize_kB=4
`

func TestMemoryByNode(t *testing.T) {
	p := launcher.Processes{
		BTL: job.BTLPvas, Partitions: [][2]uint64{{0x10000000, 0x10000000}, {0x20000000, 0x10000000}},
		Domains: []job.Domain{{L3: 2, NUMA: 1}, job.NoDomain},
	}
	count := func(rank int) map[int]*NodeMemory {
		s := tally{p: &p, nodes: map[int]*NodeMemory{}}
		require.NoError(t, readAreas(strings.NewReader(numaMaps), func(a area) { s.add(a, rank) }))
		return s.nodes
	}
	require.Equal(t, map[int]*NodeMemory{
		0: {Node: 0, Other: 3 * 4, Shared: 5 * 4},
		1: {Node: 1, Near: 2 * 4, Far: 4, Other: 4*4 + 2048, Shared: 7 * 4},
	}, count(-1), "in one address space")
	require.Equal(t, map[int]*NodeMemory{
		0: {Node: 0, Shared: 5 * 4},
		1: {Node: 1, Near: 6*4 + 2048, Far: 4 * 4, Shared: 7 * 4},
	}, count(0), "of rank 0 alone")

	var b strings.Builder
	one := []NodeMemory{{Node: 0, Ranks: 1, Near: 98, Far: 2, Shared: 5}}
	require.NoError(t, Measurement{Nodes: one}.WriteNodes(&b))
	require.Contains(t, b.String(), "98.0 % of the memory of bound ranks lies on their nodes")
	b.Reset()
	require.NoError(t, Measurement{}.WriteNodes(&b))
	require.Empty(t, b.String())
	require.Error(t, readAreas(strings.NewReader("x y\n"), func(area) {}))
	none, err := nodesOf(launcher.Processes{})
	require.NoError(t, err)
	require.Nil(t, none)
}

func FuzzReadAreas(f *testing.F) {
	f.Add(numaMaps)
	f.Fuzz(func(_ *testing.T, text string) { _ = readAreas(strings.NewReader(text), func(area) {}) })
}
