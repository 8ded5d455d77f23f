package meter

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/areas"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher"
)

const numaMaps = `00400000 default file=/bin/x=y\040z mapped=5 N0=5 kernelpagesize_kB=4
10000000 prefer:2 anon=5 dirty=5 N1=1 N2=4 kernelpagesize_kB=4
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
		s := tally{p: &p, nodes: map[int]*NodeMemory{}, far: make([]int64, 2),
			owners: map[uint64]int{0x30000000: 0, 0x20001000: 0, 0x400000: job.Unknown}}
		require.NoError(t, readAreas(strings.NewReader(numaMaps), func(a area) {
			require.Equal(t, a.start == 0x20001000, a.mixed)
			s.add(a, rank)
		}))
		return s.nodes
	}
	require.Equal(t, map[int]*NodeMemory{
		0: {Node: 0, Other: 2 * 4, Shared: 5 * 4},
		1: {Node: 1, Near: 5 * 4, Far: 2 * 4, Other: 4 + 2048, Shared: 7 * 4},
		2: {Node: 2, Near: 4 * 4, Far: 4},
	}, count(-1), "in one address space")
	require.Equal(t, map[int]*NodeMemory{
		0: {Node: 0, Shared: 5 * 4},
		1: {Node: 1, Near: 6*4 + 2048, Far: 4 * 4, Shared: 7 * 4},
		2: {Node: 2, Near: 4 * 4, Far: 4},
	}, count(0), "of rank 0 alone")

	var b strings.Builder
	one := []NodeMemory{{Node: 0, Ranks: 1, Near: 98, Far: 2, Shared: 5}}
	require.NoError(t, Measurement{Nodes: one, Far: []FarMemory{{Rank: 3, Node: 0, Far: 2}}}.WriteNodes(&b))
	require.Contains(t, b.String(), "98.0 % of the memory of bound ranks lies on their nodes\n"+
		"rank 3, bound to node 0: 2 KiB elsewhere\n")
	b.Reset()
	require.NoError(t, Measurement{}.WriteNodes(&b))
	require.Empty(t, b.String())
	require.Error(t, readAreas(strings.NewReader("x y\n"), func(area) {}))
	none, _, err := nodesOf(launcher.Processes{})
	require.NoError(t, err)
	require.Nil(t, none)
}

// The pages of an area that has both kinds are told apart.
func TestPrivatePagesOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	const page, pages = 4096, 8
	require.NoError(t, os.WriteFile(file, make([]byte, pages*page), 0o600))
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	mem, err := syscall.Mmap(int(f.Fd()), 0, pages*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Munmap(mem)) }()
	sum := byte(0)
	for i := range 5 {
		sum += mem[i*page]
	}
	mem[0], mem[7*page] = 1, sum+1
	start := uint64(sys.AddrOf(mem))
	maps, err := areasOf(os.Getpid())
	require.NoError(t, err)
	i := slices.IndexFunc(maps, func(a areas.Area) bool { return a.Start == start })
	require.True(t, i >= 0 && maps[i].End == start+pages*page)
	private, shared, err := split(os.Getpid(), area{start: start}, maps[i].End)
	if errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EPERM) {
		t.Skip(err) // a kernel without NUMA, or a filter
	}
	require.NoError(t, err)
	require.Equal(t, map[int]int64{0: 2 * 4}, private.nodes)
	require.GreaterOrEqual(t, shared.nodes[0], int64(4*4), "the kernel may map more of the file")
	require.True(t, private.private)
	require.False(t, shared.private)
}

func FuzzReadAreas(f *testing.F) {
	f.Add(numaMaps)
	f.Add("0 default =1 N-1=2") // no name, no node
	f.Fuzz(func(_ *testing.T, text string) { _ = readAreas(strings.NewReader(text), func(area) {}) })
}
