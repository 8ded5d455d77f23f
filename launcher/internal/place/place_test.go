package place

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/internal/node/topology/topologytest"
)

var update = flag.Bool("update", false, "write testdata/bindings.txt anew")

var levels = []Level{Core, L3, NUMA, Package}

func cpusOf(s topologytest.Shape, usable ...int) []topology.CPU {
	if usable == nil {
		usable = s.All()
	}
	return topology.Read(s.FS(), usable).Of(usable)
}

// The table of where ranks go on 32 CPUs in 8 L3 domains and 4 nodes, for people to read.
func TestBindings(t *testing.T) {
	const file = "testdata/bindings.txt"
	var b strings.Builder
	adjacent := topologytest.Threaded // as qemu numbers them: .ci/many-cores compares
	adjacent.Adjacent = true
	for _, m := range []struct {
		name  string
		shape topologytest.Shape
	}{{"32 cores of 1 thread", topologytest.Board}, {"16 cores of 2 threads", adjacent}} {
		for _, by := range levels {
			for _, n := range []int{1, 7, 16, 32} {
				fmt.Fprintf(&b, "%s, --map-by %s --bind core -n %d:", m.name, by, n)
				for _, set := range Ranks(cpusOf(m.shape), Policy{Map: by, Bind: Core, CPUs: 1}, n) {
					b.WriteString(" " + topology.FormatList(set))
				}
				b.WriteString("\n")
			}
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

// On any shape, with any number of ranks: neighbours by domain, cores before threads, threads before sharing, and no
// CPU has much more than its share.
func TestRanksAreEvenlyPlaced(t *testing.T) {
	odd := topologytest.Threaded
	odd.Offline = []int{0, 5, 21, 30}
	hidden := topologytest.Threaded
	hidden.Hidden = []string{"topology", "cache", "node/"}
	for name, cpus := range map[string][]topology.CPU{
		"board": cpusOf(topologytest.Board), "threads": cpusOf(topologytest.Threaded), "offline": cpusOf(odd),
		"SNC": cpusOf(topologytest.XeonSNC), "EPYC": cpusOf(topologytest.EPYC), "Grace": cpusOf(topologytest.Grace),
		"1,3,5": cpusOf(topologytest.Board, 1, 3, 5), "one": cpusOf(topologytest.Board, 17), "unknown": cpusOf(hidden),
		"uneven": cpusOf(topologytest.Threaded, 0, 1, 2, 16, 31),
	} {
		cores := len(group(cpus, Core))
		for _, by := range levels {
			for _, n := range []int{1, 2, 3, 5, 7, 16, 31, 32, 33, 100} {
				at := fmt.Sprintf("%s, by %s, %d ranks", name, by, n)
				sets := Ranks(cpus, Policy{Map: by, Bind: Core, CPUs: 1}, n)
				require.Len(t, sets, n)
				load, perCore := map[int]int{}, map[int]int{}
				coreOf := map[int]int{}
				for i, core := range group(cpus, Core) {
					for _, c := range core {
						coreOf[c.Number] = i
					}
				}
				for _, set := range sets {
					require.NotEmpty(t, set, at)
					for _, cpu := range set {
						load[cpu]++
						require.Equal(t, coreOf[set[0]], coreOf[cpu], at)
					}
					perCore[coreOf[set[0]]]++
				}
				for cpu, ranks := range load {
					if n <= len(cpus) {
						require.Equal(t, 1, ranks, "%s: CPU %d is shared", at, cpu)
					}
					require.LessOrEqual(t, ranks, (n+len(cpus)-1)/len(cpus)+1, at)
				}
				if n <= cores {
					require.Len(t, perCore, n, "%s: cores are free, and others shared", at)
				} else {
					require.Len(t, perCore, cores, at)
				}
			}
		}
	}
}

func TestRanksByDomain(t *testing.T) {
	sets := Ranks(cpusOf(topologytest.Board), Policy{Map: NUMA, Bind: NUMA, CPUs: 1}, 5)
	require.Equal(t, []string{"0-7", "8-15", "16-23", "24-31", "0-7"}, lists(sets))
	sets = Ranks(cpusOf(topologytest.Board), Policy{Bind: L3, CPUs: 1}, 5)
	require.Equal(t, []string{"0-3", "0-3", "0-3", "0-3", "4-7"}, lists(sets))
	sets = Ranks(cpusOf(topologytest.Threaded), Policy{Bind: Package}, 2)
	require.Equal(t, []string{"0-7,16-23", "0-7,16-23"}, lists(sets))
	require.Equal(t, [][]int{nil, nil}, Ranks(cpusOf(topologytest.Board), Policy{Map: L3, Bind: None}, 2))

	// What is not known is as wide as what is.
	hidden := topologytest.Board
	hidden.Hidden = []string{"index3"}
	sets = Ranks(cpusOf(hidden), Policy{Map: L3, Bind: L3}, 2)
	require.Equal(t, []string{"0-7", "8-15"}, lists(sets))
	hidden.Hidden = []string{"index3", "node/", "package"}
	require.Equal(t, []string{"0-31"}, lists(Ranks(cpusOf(hidden), Policy{Map: NUMA, Bind: NUMA}, 1)))
}

// A rank with several cores has them in one L3 domain as long as there is room.
func TestRanksOfSeveralCores(t *testing.T) {
	sets := Ranks(cpusOf(topologytest.Board), Policy{Bind: Core, CPUs: 3}, 8)
	require.Equal(t, []string{"0-2", "4-6", "8-10", "12-14", "16-18", "20-22", "24-26", "28-30"}, lists(sets))
	sets = Ranks(cpusOf(topologytest.Board), Policy{Bind: Core, CPUs: 3}, 10)
	require.Equal(t, []string{"0-2", "3-5", "6-8", "9-11", "12-14", "15-17", "18-20", "21-23", "24-26", "27-29"},
		lists(sets))
	sets = Ranks(cpusOf(topologytest.Threaded), Policy{Map: NUMA, Bind: Core, CPUs: 4}, 5)
	require.Equal(t, []string{"0-1,16-17", "4-7,20-23", "8-11,24-27", "12-15,28-31", "2-3,18-19"}, lists(sets))
	sets = Ranks(cpusOf(topologytest.Board, 4, 5), Policy{Bind: Core, CPUs: 64}, 2)
	require.Equal(t, []string{"4-5", "4-5"}, lists(sets))
}

// A clone of the first thread: with two ranks on one core of two threads each has its own, as a machine for tests has.
func TestTwoRanksOnOneCore(t *testing.T) {
	s := topologytest.Shape{Packages: 1, Nodes: 1, L3s: 1, Cores: 1, Threads: 2}
	policy := Policy{Bind: Core, CPUs: 1}
	require.Equal(t, []string{"0-1"}, lists(Ranks(cpusOf(s), policy, 1)))
	require.Equal(t, []string{"0", "1"}, lists(Ranks(cpusOf(s), policy, 2)))
	require.Equal(t, []string{"0", "0", "1"}, lists(Ranks(cpusOf(s), policy, 3)))
}

func lists(sets [][]int) (texts []string) {
	for _, set := range sets {
		texts = append(texts, topology.FormatList(set))
	}
	return texts
}

// With Each so many ranks are on a domain before the next one has any.
func TestEach(t *testing.T) {
	cpus := cpusOf(topologytest.Board)
	for n, set := range Ranks(cpus, Policy{Map: Package, Bind: Package, CPUs: 1, Each: 3}, 12) {
		domains := Domains(cpus, Package)
		require.Equal(t, domains[n/3%len(domains)], set)
	}
	sets := Ranks(cpus, Policy{Map: NUMA, Bind: Core, CPUs: 2, Each: 2}, 4)
	require.Len(t, sets[0], 2)
	require.NotEqual(t, sets[0], sets[1])
	require.Subset(t, Domains(cpus, NUMA)[1], sets[2])
}
