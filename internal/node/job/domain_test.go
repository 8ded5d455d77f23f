package job

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
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

// mayChoose tells whether the kernel lets this process choose the nodes of its memory: filters of containers may not.
func mayChoose(t *testing.T) bool {
	at, err := sys.Mmap(0, 4096, sys.ProtRead, sys.MapPrivate|sys.MapAnonymous, -1, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, sys.Munmap(at, 4096)) }()
	return sys.MemoryOn(at, 4096, 0) == nil
}

// The blocks of ranks lie on the ranks' nodes, if these are known.
func TestMemoryNode(t *testing.T) {
	for _, node := range []int{Unknown, 0} {
		c := Config{Ranks: 3, BTL: BTLPvas, CPUs: 1, Domains: []Domain{{0, node}, {1, node}, NoDomain}}
		m, err := Create(c)
		require.NoError(t, err)
		want := []int{node, node, Unknown}
		require.Equal(t, want, []int{m.Root().MemoryNode(0), m.Root().MemoryNode(1), m.Root().MemoryNode(2)})
		text, _ := os.ReadFile("/proc/self/numa_maps") // none: a kernel without NUMA
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, fmt.Sprintf("%08x ", m.Addr())) {
				require.Equal(t, node == 0 && mayChoose(t), strings.Contains(line, " prefer:0 "), line)
			}
		}
		require.NoError(t, m.Close())
	}
}
