package colltest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/btl/pvasbtl"
	"github.com/gopvas/gopvas/internal/msg/btl/sm"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// World is a way to start a job whose ranks are goroutines.
type World struct {
	Name   string
	Direct bool // one address space
	Shared bool // memory that all ranks share

	// Start makes a job, which lasts until the end of the test, and returns its root
	// and what makes a rank.
	Start func(t testing.TB, ranks, cpus int) (*job.Root, func(rank int) Rank)
}

// Worlds are all there are.
var Worlds = []World{
	{"messages", false, true, byModule(overMessages)}, InOneSpace("one space", settings),
	{"nodes", false, false, onNodes},
}

// settings has short calls at a board done by one rank, and long ones by all.
var settings = job.Settings{Spin: testkit.Spin,
	Thresholds: job.Thresholds{SoloSpinning: 4 << 10, SoloSleeping: 4 << 10}}

// Rank is a rank of a world.
type Rank struct {
	Job    Job
	Engine *pml.Engine
}

// shape is the L3 domain of each rank in a world of domains, again with other ones for the next ranks. Two domains are
// on a node.
var shape = []int{0, 1, 0, 1, 1, 2, 0, 2}

// InDomains returns a world whose ranks are bound to domains, which have different numbers of ranks that do not follow
// one another.
func InDomains(w World) World {
	start := w.Start
	w.Name += " in domains"
	w.Start = func(t testing.TB, ranks, cpus int) (*job.Root, func(int) Rank) {
		root, rankOf := start(t, ranks, cpus)
		var domains []job.Domain
		for rank := range ranks {
			l3 := shape[rank%len(shape)] + 3*(rank/len(shape))
			domains = append(domains, job.Domain{L3: l3, NUMA: l3 / 2})
		}
		root.SetDomains(0, domains)
		return root, rankOf
	}
	return w
}

func byModule(start func(testing.TB, int, int) (*job.Root,
	func(int) btl.Module)) func(testing.TB, int, int) (*job.Root, func(int) Rank) {
	return func(t testing.TB, ranks, cpus int) (*job.Root, func(int) Rank) {
		root, module := start(t, ranks, cpus)
		return root, func(rank int) Rank { return newRank(root, rank, module(rank)) }
	}
}

func newRank(root *job.Root, rank int, m btl.Module) Rank {
	return Rank{Job{Root: root, work: root.Work()}, pml.New(root, rank, m)}
}

// Heap is one address space as far as graphs of operations are concerned, which lies on
// Go's heap, where the race detector sees it. Messages are as in the world of messages.
var Heap = World{"heap", true, true, byModule(onHeap)}

func onHeap(t testing.TB, ranks, cpus int) (*job.Root, func(int) btl.Module) {
	memory, err := job.InHeap(job.Config{Ranks: ranks, BTL: job.BTLPvas, CPUs: cpus,
		Settings: settings})
	require.NoError(t, err)
	w := mem.New(memory.Root(), mem.Options{})
	return memory.Root(), func(rank int) btl.Module { return direct{w.Module(rank)} }
}

// direct is a module whose ranks can read one another's memory.
type direct struct{ btl.Module }

func (direct) Direct() bool { return true }

func (d direct) Capabilities() btl.Capabilities { return btl.Capabilities{Memory: d} }

func overMessages(t testing.TB, ranks, cpus int) (*job.Root, func(int) btl.Module) {
	memory, err := job.Create(job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: cpus,
		Settings: settings})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memory.Close()) })
	w := mem.New(memory.Root(), mem.Options{})
	return memory.Root(), func(rank int) btl.Module { return w.Module(rank) }
}

// InOneSpace returns a world in one address space whose job has some settings.
func InOneSpace(name string, s job.Settings) World {
	return World{name, true, true, byModule(func(t testing.TB, ranks, cpus int) (*job.Root, func(int) btl.Module) {
		return inOneSpace(t, ranks, cpus, s)
	})}
}

func inOneSpace(t testing.TB, ranks, cpus int, s job.Settings) (*job.Root, func(int) btl.Module) {
	const partition = 1 << 30
	memory, err := job.Create(job.Config{Ranks: ranks, BTL: job.BTLPvas, CPUs: cpus, Settings: s})
	require.NoError(t, err)
	size := uintptr(ranks) * partition
	base, err := sys.Mmap(0, size, sys.ProtNone, sys.MapPrivate|sys.MapAnonymous|sys.MapNoReserve, -1, 0)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, sys.Munmap(base, size))
		require.NoError(t, memory.Close())
	})
	root := memory.Root()
	return root, func(rank int) btl.Module {
		p := uint64(base) + uint64(rank)*partition
		root.SetTask(rank, job.Task{Partition: p, Size: partition, Arena: p + 4096})
		m, err := pvasbtl.New(root, rank)
		require.NoError(t, err)
		return m
	}
}

// Join makes this process, which job/jobtest has started, a rank of its job.
func Join() (*job.Place, Rank, error) {
	place, err := job.Join()
	if err != nil {
		return nil, Rank{}, err
	}
	root := place.Memory.Root()
	if err := root.Claim(place.Rank, os.Getpid()); err != nil {
		return nil, Rank{}, err
	}
	m, err := sm.New(place.Memory, place.Rank)
	if err != nil {
		return nil, Rank{}, err
	}
	root.SetState(place.Rank, job.StateInit)
	return place, newRank(root, place.Rank, m), nil
}
