package topology_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/internal/node/topology/topologytest"
)

func read(s topologytest.Shape) *topology.Machine { return topology.Read(s.FS(), s.All()) }

func TestReadXeonWithClusters(t *testing.T) {
	m := read(topologytest.XeonSNC)
	require.Len(t, m.CPUs, 64)
	require.Equal(t, topology.CPU{Number: 9, Core: 9, L3: 0, Node: 1, Die: 0, Package: 0}, m.CPUs[9])
	require.Equal(t, topology.CPU{Number: 41, Core: 9, L3: 0, Node: 1, Die: 0, Package: 0}, m.CPUs[41])
	require.Equal(t, topology.CPU{Number: 63, Core: 31, L3: 1, Node: 3, Die: 0, Package: 1}, m.CPUs[63])
	require.Len(t, m.Nodes, 4)
	require.Equal(t, topology.Node{Number: 1, MemoryKiB: 16 << 20, Distances: []int{12, 10, 32, 32}}, m.Nodes[1])
}

func TestReadEPYC(t *testing.T) {
	m := read(topologytest.EPYC)
	require.Equal(t, topology.CPU{Number: 95, Core: 95, L3: 11, Node: 0, Die: 0, Package: 0}, m.CPUs[95])
	require.Equal(t, 1, m.CPUs[96+8].L3, "the second threads of cores 8 to 15")
}

// The kernel of a machine without dies shows none, and nodes may have no CPUs.
func TestReadGrace(t *testing.T) {
	m := read(topologytest.Grace)
	require.Equal(t, topology.CPU{Number: 72, Core: 72, L3: 1, Node: 1, Die: topology.Unknown, Package: 1}, m.CPUs[72])
	require.Len(t, m.Nodes, 4)
	require.Equal(t, []int{32, 32, 32, 10}, m.Nodes[3].Distances)
}

// CPUs that are offline are no part of the machine; where the first thread of a core is off the second stands for it.
func TestReadWithCPUsOffline(t *testing.T) {
	s := topologytest.Threaded
	s.Offline = []int{0, 5, 21}
	m := read(s)
	require.Len(t, m.CPUs, 29)
	cores := map[int][]int{}
	for _, c := range m.CPUs {
		cores[c.Core] = append(cores[c.Core], c.Number)
	}
	require.Len(t, cores, 15, "core 5 has no thread left")
	require.Equal(t, []int{16}, cores[m.CPUs[14].Core])
	require.Equal(t, topology.CPU{Number: 1, Core: 0, L3: 0, Node: 0, Die: 0, Package: 0}, m.CPUs[0])
}

// What the kernel does not show is unknown, and not one domain.
func TestReadWithoutSysfs(t *testing.T) {
	m := topology.Read(fstest.MapFS{}, []int{1, 3, 5})
	require.False(t, m.Seen)
	require.Empty(t, m.Nodes)
	nothing := topology.Unknown
	require.Equal(t, topology.CPU{Number: 3, Core: nothing, L3: nothing, Node: nothing, Die: nothing, Package: nothing},
		m.CPUs[1])
	require.Equal(t, m.CPUs, m.Of([]int{1, 3, 5}))

	s := topologytest.EPYC
	s.Hidden = []string{"index3", "node/", "physical_package_id"}
	m = read(s)
	require.True(t, m.Seen)
	require.Equal(t, topology.CPU{Number: 100, Core: 4, L3: nothing, Node: nothing, Die: 0, Package: nothing},
		m.CPUs[100])
}

func TestOf(t *testing.T) {
	m := read(topologytest.Board)
	of := m.Of([]int{31, 2, 99})
	require.Equal(t, []int{7, 0, topology.Unknown}, []int{of[0].L3, of[1].L3, of[2].L3})
	require.Equal(t, 99, of[2].Number)
}

func TestReadCaches(t *testing.T) {
	require.Equal(t, topology.Caches{L1D: 48 << 10, L2: 2 << 20, L3: 32 << 20, Line: 64},
		topology.ReadCaches(topologytest.EPYC.FS(), 7))
	require.Zero(t, topology.ReadCaches(fstest.MapFS{}, 0))
}

func TestOwn(t *testing.T) {
	s := topologytest.Board
	m := read(s)
	group := func(list string) fstest.MapFS {
		return fstest.MapFS{
			"proc/self/cgroup":           {Data: []byte("0::/a/b\n")},
			"proc/self/mountinfo":        {Data: []byte("41 31 0:38 / /cg rw - cgroup2 cgroup2 rw\n")},
			"cg/a/cpuset.cpus.effective": {Data: []byte(list + "\n")},
		}
	}
	slurm := func(cpus string) func(string) string {
		return func(name string) string {
			return map[string]string{"SLURM_JOB_ID": "7", "SLURM_CPUS_ON_NODE": cpus}[name]
		}
	}
	nothing := func(string) string { return "" }
	for _, c := range []struct {
		name, want string
		own        string
	}{
		{"cpuset", "they are a cpuset, 1,3,5 of 32", m.Own(group("1,3,5"), nothing, []int{1, 3, 5})},
		{"all CPUs", "", m.Own(group("0-31"), nothing, s.All())},
		{"a mask within all", "", m.Own(group("0-31"), nothing, []int{1})},
		{"no cgroups", "", m.Own(fstest.MapFS{}, nothing, []int{1})},
		{"Slurm", "they are those of Slurm's job 7", m.Own(fstest.MapFS{}, slurm("4"), []int{1, 2, 3, 4})},
		{"Slurm does not confine its jobs", "", m.Own(fstest.MapFS{}, slurm("4"), s.All())},
		{"Slurm does not say", "", m.Own(fstest.MapFS{}, slurm(""), []int{1})},
	} {
		require.Equal(t, c.want, c.own, c.name)
	}
}
