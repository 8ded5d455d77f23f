package topologytest

import (
	"fmt"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/gopvas/gopvas/internal/node/topology"
)

// A Shape is a regular machine, less what is offline.
type Shape struct {
	Packages, Nodes, L3s, Cores int  // each in the machine as a whole
	Threads                     int  // of each core
	Adjacent                    bool // the threads of a core have adjacent numbers; else all first threads come first
	Offline                     []int
	MemoryNodes                 int      // further nodes, without CPUs
	Hidden                      []string // parts of paths that the kernel does not show
}

// Machines that tests go by.
var (
	// XeonSNC is two sockets with sub-NUMA clusters: an L3 cache spans two nodes.
	XeonSNC = Shape{Packages: 2, Nodes: 4, L3s: 2, Cores: 32, Threads: 2}
	// EPYC is a socket with 12 L3 caches in one node.
	EPYC = Shape{Packages: 1, Nodes: 1, L3s: 12, Cores: 96, Threads: 2}
	// Grace is two sockets of arm64, with the memory of two accelerators.
	Grace = Shape{Packages: 2, Nodes: 2, L3s: 2, Cores: 144, Threads: 1, MemoryNodes: 2,
		Hidden: []string{"die_", "core_siblings"}}
	// Board is 2 sockets of 2 nodes of 2 L3 domains of 4 cores.
	Board = Shape{Packages: 2, Nodes: 4, L3s: 8, Cores: 32, Threads: 1}
	// Threaded is Board with 16 cores of 2 threads.
	Threaded = Shape{Packages: 2, Nodes: 4, L3s: 8, Cores: 16, Threads: 2}
)

// CPUs returns how many the shape has, also those that are offline.
func (s Shape) CPUs() int { return s.Cores * s.Threads }

// All returns the numbers of the CPUs that are online.
func (s Shape) All() (list []int) {
	for cpu := range s.CPUs() {
		if !slices.Contains(s.Offline, cpu) {
			list = append(list, cpu)
		}
	}
	return list
}

func (s Shape) coreOf(cpu int) int {
	if s.Adjacent {
		return cpu / s.Threads
	}
	return cpu % s.Cores
}

// with lists the CPUs online whose core is in domain k of n.
func (s Shape) with(k, n int) string {
	var list []int
	for _, cpu := range s.All() {
		if s.coreOf(cpu)*n/s.Cores == k {
			list = append(list, cpu)
		}
	}
	return topology.FormatList(list)
}

// FS returns the root of its file system.
func (s Shape) FS() fstest.MapFS {
	fs := fstest.MapFS{}
	add := func(name, text string) {
		for _, hidden := range s.Hidden {
			if strings.Contains(name, hidden) {
				return
			}
		}
		fs["sys/devices/system/"+name] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	add("cpu/online", topology.FormatList(s.All()))
	for _, cpu := range s.All() {
		core := s.coreOf(cpu)
		dir := fmt.Sprintf("cpu/cpu%d/", cpu)
		pkg := core * s.Packages / s.Cores
		add(dir+"topology/physical_package_id", fmt.Sprint(pkg))
		add(dir+"topology/die_id", "0")
		add(dir+"topology/core_cpus_list", s.with(core, s.Cores))
		add(dir+"topology/thread_siblings_list", s.with(core, s.Cores))
		add(dir+"topology/package_cpus_list", s.with(pkg, s.Packages))
		add(dir+"topology/core_siblings_list", s.with(pkg, s.Packages))
		add(dir+"topology/die_cpus_list", s.with(pkg, s.Packages))
		for i, c := range []struct{ level, kind, size, shared string }{
			{"1", "Data", "48K", s.with(core, s.Cores)},
			{"1", "Instruction", "64K", s.with(core, s.Cores)},
			{"2", "Unified", "2048K", s.with(core, s.Cores)},
			{"3", "Unified", "32M", s.with(core*s.L3s/s.Cores, s.L3s)},
		} {
			index := fmt.Sprintf("%scache/index%d/", dir, i)
			add(index+"level", c.level)
			add(index+"type", c.kind)
			add(index+"size", c.size)
			add(index+"coherency_line_size", "64")
			add(index+"shared_cpu_list", c.shared)
		}
	}
	s.addNodes(add)
	return fs
}

// addNodes adds the NUMA nodes.
func (s Shape) addNodes(add func(name, text string)) {
	nodes := s.Nodes + s.MemoryNodes
	for n := range nodes {
		dir := fmt.Sprintf("node/node%d/", n)
		cpus := ""
		if n < s.Nodes {
			cpus = s.with(n, s.Nodes)
		}
		add(dir+"cpulist", cpus)
		add(dir+"meminfo", fmt.Sprintf("Node %d MemTotal:       16777216 kB\nNode %d MemFree:        1 kB", n, n))
		var distances []string
		for other := range nodes {
			d := 32
			switch {
			case other == n:
				d = 10
			case n < s.Nodes && other < s.Nodes && n*s.Packages/s.Nodes == other*s.Packages/s.Nodes:
				d = 12
			}
			distances = append(distances, fmt.Sprint(d))
		}
		add(dir+"distance", strings.Join(distances, " "))
	}
}
