package mpi

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/pvasbtl"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// inOneSpace runs f as ranks that share an address space: goroutines. What a rank
// would get from Init is made here.
func inOneSpace(t testing.TB, ranks int, f func(*Comm) error) {
	t.Helper()
	inOneSpaceBy(t, ranks, comm.Settings{}, f)
}

// inOneSpaceBy has nonblocking operations progressed as the settings say.
func inOneSpaceBy(t testing.TB, ranks int, settings comm.Settings, f func(*Comm) error) {
	t.Helper()
	const partition = 1 << 30
	mem, err := job.Create(job.Config{Ranks: ranks, BTL: job.BTLPvas, CPUs: 2,
		Settings: job.Settings{Spin: testkit.Spin}})
	require.NoError(t, err)
	size := uintptr(ranks) * partition
	base, err := sys.Mmap(0, size, sys.ProtNone, sys.MapPrivate|sys.MapAnonymous|sys.MapNoReserve, -1, 0)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, sys.Munmap(base, size))
		require.NoError(t, mem.Close())
	})
	root := mem.Root()
	for rank := range ranks {
		p := uint64(base) + uint64(rank)*partition
		root.SetTask(rank, job.Task{Partition: p, Size: partition, Arena: p + 4096})
	}
	jobtest.Ranks(t, root, func(rank int) error {
		module, err := pvasbtl.New(root, rank)
		if err != nil {
			return err
		}
		return f((*Comm)(comm.NewWorld(root, rank, wrapModule(module), settings, operatorNames)))
	})
}

func TestSharedWindowsInOneSpace(t *testing.T) {
	for _, ranks := range sizes {
		inOneSpace(t, ranks, func(c *Comm) error {
			if err := sharedWindows(c); err != nil {
				return err
			}
			base, size, ok := c.Partition()
			if !ok || size != 1<<30 || base%4096 != 0 {
				return fmt.Errorf("partition %#x, %#x, %v", base, size, ok)
			}
			return c.Finalize()
		})
	}
}

func TestMemoryOutlivesItsOwnerInOneSpace(t *testing.T) {
	inOneSpace(t, 3, earlyLeaver)
}

// order carries the order of writes and reads for the race detector, which does
// not see barriers in mapped memory.
var order sync.Map

// TestWinCreate exposes ordinary slices, which nobody but the window refers to
// when the collector runs.
func TestWinCreate(t *testing.T) {
	for _, ranks := range sizes {
		inOneSpace(t, ranks, func(c *Comm) error {
			mem := make([]byte, c.Rank()*3000) // 0 for rank 0
			for i := range mem {
				mem[i] = byte(c.Rank() + i)
			}
			order.Store(c, nil)
			win, err := WinCreate(c, mem)
			if err != nil {
				return err
			}
			mem = nil
			runtime.GC()
			order.Range(func(any, any) bool { return true })
			for peer := range c.Size() {
				if err := readSegment(win, peer, peer*3000); err != nil {
					return err
				}
			}
			return c.Barrier()
		})
	}
}

// Goroutines that race in barriers get through all of them, with no error but that of a race.
func TestGoroutinesOfOneRankAreLetInOneByOne(t *testing.T) {
	inOneSpace(t, 2, func(c *Comm) error {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 200 {
					if err := c.Barrier(); err != nil && !errors.Is(err, comm.ErrRace) {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		return nil
	})
}

func BenchmarkBarrier(b *testing.B) {
	for _, ranks := range []int{1, 2, 8} {
		b.Run(fmt.Sprintf("ranks=%d", ranks), func(b *testing.B) {
			inOneSpace(b, ranks, func(c *Comm) error {
				for range b.N {
					if err := c.Barrier(); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}
