package mpi

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// wrapModule is applied to the modules of the ranks of tests.
var wrapModule = asItIs

func asItIs(m btl.Module) btl.Module { return m }

// meter counts what a module gives out.
type meter struct {
	btl.Module
	bytes *atomic.Int64
}

func (m meter) Alloc(n int) ([]byte, uint64, error) {
	m.bytes.Add(int64(n))
	return m.Module.Alloc(n)
}

func (m meter) Capabilities() btl.Capabilities {
	c := m.Module.Capabilities()
	c.Memory = m
	return c
}

// comeAndGo makes communicators, uses them and frees them, some at a time.
func comeAndGo(c *Comm, rounds int) error {
	for i := range rounds {
		d, err := c.Dup()
		if err != nil {
			return err
		}
		var e *Comm // of other ranks, led by another
		if i%10 == 0 {
			if e, err = d.Split(d.Rank()/2, -d.Rank()); err != nil {
				return err
			}
			sum := []int{1}
			if err := first(Allreduce(e, nil, sum, Sum[int]()), want("sum", sum[0], e.Size()), e.Free()); err != nil {
				return err
			}
		}
		if err := first(d.Barrier(), d.Free()); err != nil {
			return fmt.Errorf("round %d: %w", i, err)
		}
	}
	return nil
}

// TestCommunicatorsLeaveNoMemory: neither shared memory nor Go's, however many there have
// been.
func TestCommunicatorsLeaveNoMemory(t *testing.T) {
	rounds := testkit.Rounds(10_000)
	if testkit.Race {
		rounds = 500
	}
	var shared atomic.Int64
	var heap [2]int64
	measure := func(c *Comm) error {
		for phase, n := range []int{100, rounds} {
			if err := first(comeAndGo(c, n), c.Barrier()); err != nil {
				return err
			}
			if c.Rank() == 0 {
				runtime.GC()
				var stats runtime.MemStats
				runtime.ReadMemStats(&stats)
				heap[phase] = int64(stats.HeapAlloc) - shared.Load() // that is on the heap, or not in one space
			}
			if err := c.Barrier(); err != nil {
				return err
			}
		}
		return nil
	}
	wrapModule = func(m btl.Module) btl.Module { return meter{m, &shared} }
	t.Cleanup(func() { wrapModule = asItIs })
	check := func(t *testing.T, most int64) {
		require.LessOrEqual(t, shared.Swap(0), most)
		require.Less(t, heap[1], heap[0]+1<<20, "a communicator has more than 100 bytes")
	}
	t.Run("one space", func(t *testing.T) {
		inOneSpace(t, 3, func(c *Comm) error { return errors.Join(measure(c), c.Finalize()) })
		check(t, 2<<20) // the world's board, and those of two at a time, with slots for broadcasts of 6 KiB
	})
	t.Run("messages", func(t *testing.T) {
		overMem(t, 3, 2, mem.Options{}, measure)
		check(t, 16<<20) // with slots for long broadcasts, of which only pages that are used take memory
	})
}

// TestCommunicatorsOfNodesLeaveNoMemory: also not where the members of a node meet.
func TestCommunicatorsOfNodesLeaveNoMemory(t *testing.T) {
	var shared atomic.Int64
	var before int64
	wrapModule = func(m btl.Module) btl.Module { return meter{m, &shared} }
	t.Cleanup(func() { wrapModule = asItIs })
	overNodes(t, []int{0, 0, 1, 1}, func(c *Comm) error {
		for _, rounds := range []int{20, 200} {
			if err := first(comeAndGo(c, rounds), c.Barrier()); err != nil {
				return err
			}
			if c.Rank() == 0 && before == 0 {
				before = shared.Load()
			}
		}
		return nil
	})
	require.LessOrEqual(t, shared.Load(), 2*before)
}
