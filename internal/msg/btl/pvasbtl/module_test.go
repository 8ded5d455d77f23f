package pvasbtl_test

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/btltest"
	"github.com/gopvas/gopvas/internal/msg/btl/pvasbtl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

const (
	partitionSize = 1 << 30
	arenaStart    = 3 * 4096 // arenas begin where the image ends: at any page
	arenaSize     = partitionSize - arenaStart
)

// heapSpace is space for the race detector, which sees Go's heap, and no memory that is mapped. The partitions
// are small.
func heapSpace(t testing.TB, c job.Config) *job.Root {
	const partition = 32 << 20
	c.BTL = job.BTLPvas
	mem, err := job.InHeap(c)
	require.NoError(t, err)
	heap := make([]byte, c.Ranks*partition+btl.HugePage)
	t.Cleanup(func() { runtime.KeepAlive(heap) })
	base := (uint64(sys.AddrOf(heap)) + btl.HugePage - 1) &^ (btl.HugePage - 1)
	for rank := range c.Ranks {
		at := base + uint64(rank)*partition
		mem.Root().SetTask(rank, job.Task{Partition: at, Size: partition, Arena: at + arenaStart})
	}
	return mem.Root()
}

// space reserves partitions for a job of so many ranks in this process, as the
// space host does.
func space(t testing.TB, c job.Config) *job.Root {
	t.Helper()
	c.BTL = job.BTLPvas
	mem, err := job.Create(c)
	require.NoError(t, err)
	size := uintptr(c.Ranks) * partitionSize
	base, err := sys.Mmap(0, size, sys.ProtNone, sys.MapPrivate|sys.MapAnonymous|sys.MapNoReserve, -1, 0)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, sys.Munmap(base, size))
		require.NoError(t, mem.Close())
	})
	for rank := range c.Ranks {
		partition := uint64(base) + uint64(rank)*partitionSize
		mem.Root().SetTask(rank, job.Task{Partition: partition, Size: partitionSize,
			Arena: partition + arenaStart})
	}
	return mem.Root()
}

// TestConformance runs the suite with ranks as goroutines.
func TestConformance(t *testing.T) {
	for _, c := range btltest.Cases() {
		for _, ranks := range []int{1, 2, 5} {
			if testkit.Race && ranks != 2 {
				continue
			}
			t.Run(fmt.Sprintf("%s/ranks=%d", c.Name, ranks), func(t *testing.T) {
				make := space
				if testkit.Race {
					make = heapSpace
				}
				pages := map[int]job.HugePages{2: job.TransparentPages, 5: job.ReservedPages}[ranks]
				if testkit.Race {
					pages = "" // the memory is of the heap
				}
				if pages == job.ReservedPages {
					_ = testkit.LockPages(t) // an error: it has others, as where too few are reserved
				}
				root := make(t, job.Config{Ranks: ranks, CPUs: 2, HugePages: pages})
				jobtest.Ranks(t, root, func(rank int) error {
					m, err := pvasbtl.New(root, rank)
					if err != nil {
						return err
					}
					return c.Run(m, root, rank)
				})
			})
		}
	}
}

func TestNewRefuses(t *testing.T) {
	root := space(t, job.Config{Ranks: 2, CPUs: 2})
	var bad *fault.RankError
	_, err := pvasbtl.New(root, -1)
	require.ErrorAs(t, err, &bad)
	page := uint64(root.PageSize())
	for _, arena := range [][2]uint64{{0, 0}, {page, 0}, {page + 1, page}, {page, page + 1}, {-page, 2 * page}} {
		root.SetTask(1, job.Task{Partition: arena[0], Size: arena[1], Arena: arena[0]})
		_, err := pvasbtl.New(root, 1)
		require.ErrorContains(t, err, "no usable arena", "%#x", arena)
	}
}

// TestAttachIsArithmetic: the peer's bytes are at the peer's address.
func TestAttachIsArithmetic(t *testing.T) {
	root := space(t, job.Config{Ranks: 2, CPUs: 2})
	owner, err := pvasbtl.New(root, 0)
	require.NoError(t, err)
	peer, err := pvasbtl.New(root, 1)
	require.NoError(t, err)
	mem, at, err := owner.Alloc(100)
	require.NoError(t, err)
	require.EqualValues(t, sys.AddrOf(mem), at)
	seen, err := peer.Attach(0, at, 100)
	require.NoError(t, err)
	require.Equal(t, sys.AddrOf(mem), sys.AddrOf(seen))
	base, size := root.Arena(0)
	require.True(t, base <= at && at+100 <= base+size)
}

func TestArenaRunsOut(t *testing.T) {
	m, err := pvasbtl.New(space(t, job.Config{Ranks: 1, CPUs: 2}), 0)
	require.NoError(t, err)
	_, _, err = m.Alloc(partitionSize)
	require.ErrorIs(t, err, btl.ErrExhausted)
	_, _, err = m.Alloc(arenaSize - 100)
	require.ErrorIs(t, err, btl.ErrExhausted, "it would fit, but not aligned")
	_, _, err = m.Alloc(arenaSize / 2)
	require.NoError(t, err)
	_, err = m.Attach(0, 4096, 1)
	require.ErrorContains(t, err, "there is no memory at 0x1000")
}

// What every rank shares fits into the small region, so that it needs no table page of its
// own; what does not fit comes from the arena.
func TestSmallRegion(t *testing.T) {
	const ranks = 240
	root := space(t, job.Config{Ranks: ranks, CPUs: 2})
	small := make([]byte, job.SmallRegionSize(ranks)+4096)
	at := (uint64(sys.AddrOf(small)) + 4095) &^ 4095
	arena, _ := root.Arena(0)
	base, size := root.Partition(0)
	root.SetTask(0, job.Task{Partition: base, Size: size, Arena: arena, Small: at,
		SmallSize: job.SmallRegionSize(ranks)})
	inside := func(p uint64) bool { return p >= at && p < at+job.SmallRegionSize(ranks) }
	m, err := pvasbtl.New(root, 0)
	require.NoError(t, err)
	mailbox, open := root.Mailbox(0, 0)
	require.True(t, open)
	require.True(t, inside(mailbox))
	_, first, err := m.Alloc(200 * ranks) // as large as the board of all ranks' collectives
	require.NoError(t, err)
	require.True(t, inside(first))
	_, second, err := m.Alloc(200 * ranks)
	require.NoError(t, err)
	require.False(t, inside(second))
	_, third, err := m.Alloc(1)
	require.NoError(t, err)
	require.True(t, inside(third))
	require.NotEqual(t, first, third)
	runtime.KeepAlive(small)
}

// stderrOf returns what f prints to standard error.
func stderrOf(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	stderr := os.Stderr
	os.Stderr = w
	f()
	os.Stderr = stderr
	require.NoError(t, w.Close())
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(text)
}

// The whole huge pages of what is allocated come from the pool. Where that has too few, memory is good all the same,
// and a rank says so.
func TestReservedPages(t *testing.T) {
	if testkit.Race {
		t.Skip("the memory is of the heap")
	}
	total := testkit.ReservedPages(t, 2)
	root := space(t, job.Config{Ranks: 2, CPUs: 2, HugePages: job.ReservedPages})
	var modules [2]*pvasbtl.Module
	for rank := range modules {
		m, err := pvasbtl.New(root, rank)
		require.NoError(t, err)
		modules[rank] = m
	}
	alloc := func(rank, n int) []byte {
		mem, _, err := modules[rank].Alloc(n)
		require.NoError(t, err)
		mem[0], mem[n-1] = 1, 2
		return mem
	}
	small, huge := os.Getpagesize(), btl.HugePage
	sizes := func(mem []byte) [2]int {
		first := sys.AddrOf(mem)
		return [2]int{testkit.PageSize(t, first), testkit.PageSize(t, first+uintptr(len(mem)-1))}
	}
	require.Empty(t, stderrOf(t, func() {
		require.Equal(t, [2]int{small, small}, sizes(alloc(0, huge-1)))
		require.Equal(t, [2]int{huge, huge}, sizes(alloc(0, huge)))
		require.Equal(t, [2]int{huge, small}, sizes(alloc(1, huge+1)))
	}))
	n := (total + 1) * huge
	if n > arenaSize/2 {
		t.Skip("an arena has not more memory than the pool")
	}
	text := stderrOf(t, func() {
		require.Equal(t, [2]int{small, small}, sizes(alloc(0, n)))
		require.Equal(t, [2]int{small, small}, sizes(alloc(1, n)))
	})
	require.Equal(t, 1, strings.Count(text, "warning: --huge-pages reserved: "), text)
}
