package comm

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

// Worlds of one job have contexts of their own: what is known by its context, as the waits in the report of a hang,
// is of one world.
func TestWorldsHaveContextsOfTheirOwn(t *testing.T) {
	root := jobtest.Create(t, job.Config{Ranks: 2, Places: 7, BTL: job.BTLSM, CPUs: 2}).Root()
	late, err := root.AddWorld(3, 1, 1)
	require.NoError(t, err)
	w := mem.New(root, mem.Options{})
	var all []*Comm
	var wg sync.WaitGroup
	for rank := range root.Ranks() {
		c := NewWorld(root, rank, w.Module(rank), Settings{}, Operators{})
		all = append(all, c)
		wg.Go(func() {
			if err := first(c.Barrier(), Meet(c)); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	wg.Wait()
	handed := map[uint32]bool{}
	for rank, c := range all {
		require.Equal(t, all[root.World(rank).First].ID(), c.ID())
		handed[uint32(c.contexts.take())] = true
	}
	require.Zero(t, all[0].ID())
	require.NotEqual(t, all[0].ID(), all[late.First].ID())
	require.Len(t, handed, len(all))
	for _, c := range all {
		require.NotContains(t, handed, c.ID())
		require.NotContains(t, handed, c.ID()+meetID)
	}
}

// A nonblocking copy comes to be in the engine, which also notes which worlds its ranks are of.
func TestIdupAmongWorlds(t *testing.T) {
	root := jobtest.Create(t, job.Config{Ranks: 2, Places: 3, BTL: job.BTLSM, CPUs: 2}).Root()
	_, err := root.AddWorld(1, 0, 1)
	require.NoError(t, err)
	w := mem.New(root, mem.Options{})
	var wg sync.WaitGroup
	for rank := range 2 {
		c := NewWorld(root, rank, w.Module(rank), Settings{}, Operators{})
		wg.Go(func() {
			both, err := IntercommCreate(c.Self(), 0, c, 1-rank, 0)
			for range 3 {
				copied, r, badIdup := both.Idup()
				_, badWait := r.Wait()
				if err = first(err, badIdup, badWait); err == nil {
					err = copied.Barrier()
				}
				if err != nil {
					t.Errorf("rank %d: %v", rank, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// Ranks that have gone are looked for once, each time that one more of the job has.
func TestOnlyMembersAreMissed(t *testing.T) {
	root := jobtest.Create(t, job.Config{Ranks: 2, Places: 3, BTL: job.BTLSM, CPUs: 2}).Root()
	_, err := root.AddWorld(1, 0, 1)
	require.NoError(t, err)
	c := NewWorld(root, 0, mem.New(root, mem.Options{}).Module(0), Settings{}, Operators{})
	all := func(int) bool { return true }
	require.Equal(t, -1, FirstGone(c, all))
	root.MarkGone(2)
	require.Equal(t, -1, FirstGone(c, all))
	found := c.gone.Load()
	require.Equal(t, &goneRanks{of: 1}, found)
	require.Equal(t, -1, FirstGone(c, all))
	require.Same(t, found, c.gone.Load())
	root.MarkGone(1)
	require.Equal(t, 1, FirstGone(c, all))
	found = c.gone.Load()
	require.Equal(t, &goneRanks{of: 2, ranks: []int{1}}, found)
	require.Equal(t, -1, FirstGone(c, func(rank int) bool { return rank != 1 }))
	require.Equal(t, 1, FirstGone(c, all))
	require.Same(t, found, c.gone.Load(), "no wait looks at all ranks again")
}

// apart is a module of a rank that shares its address space with nobody.
type apart struct{ btl.Module }

func (apart) Direct() bool { return false }

// Ranks of two groups that have the same number have no address space in common for that.
func TestSplitByAddressSpaceOfTwoGroups(t *testing.T) {
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		c.module = apart{c.module}
		both, err := IntercommCreate(c.Self(), 0, c, 1-c.Rank(), 0)
		if err != nil {
			return err
		}
		own, err := both.SplitType(AddressSpace, 0)
		if own != nil {
			t.Errorf("rank %d: shares an address space with a rank of the other group", c.Rank())
		}
		return first(err, both.Free())
	})
}

// Spawn says what is missing, and all ranks get an error of its own.
func TestSpawnWithoutCommands(t *testing.T) {
	overMem(t, 1, 2, mem.Options{}, func(c *Comm) error {
		_, _, err := Spawn(c, 0, nil, nil)
		require.ErrorIs(t, err, ErrSpawn)
		require.ErrorContains(t, err, "no command: pass one or more")
		_, _, err = Spawn(c, 0, []Command{{Program: "x", N: 1}}, nil)
		require.ErrorIs(t, err, ErrSpawn)
		require.ErrorContains(t, err, "this needs pvasrun")
		return nil
	})
}

// All ranks are told why they cannot connect, and the same once.
func TestRefusedPortIsToldOnce(t *testing.T) {
	var mu sync.Mutex
	told := map[string][]string{}
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		for _, p := range []struct {
			job.Port
			why string
		}{
			{job.Port{Job: c.root.ID(), Number: 1}, "this rank has closed it, or not opened it"},
			{job.Port{Job: c.root.ID() + 1, Of: 5, Number: 1}, "this job cannot reach others: "},
		} {
			_, err := Connect(c, p.String(), 0, ConnectTime, nil)
			require.ErrorIs(t, err, ErrPort)
			require.ErrorContains(t, err, "connect: the port is not open: "+p.why)
			mu.Lock()
			told[p.why] = append(told[p.why], err.Error())
			mu.Unlock()
		}
		return nil
	})
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		for _, bad := range []string{strings.Repeat("\xff", 10_000), strings.Repeat("gopvas:0:0:0:", 1000),
			fmt.Sprintf("gopvas:%x:%05000d:0:1", c.root.ID(), 0)} {
			_, err := Connect(c, bad, 0, ConnectTime, nil)
			require.ErrorIs(t, err, ErrPort)
			require.Less(t, len(err.Error()), 1000)
		}
		return nil
	})
	require.Len(t, told, 2)
	for why, texts := range told {
		require.Len(t, texts, 2)
		require.Equal(t, texts[0], texts[1], why)
	}
}

// The report says of an accept what it is, and not what it is made of.
func TestAcceptIsNamed(t *testing.T) {
	memory, err := job.Private()
	require.NoError(t, err)
	defer memory.Close()
	root := memory.Root()
	c := NewWorld(root, 0, mem.New(root, mem.Options{}).Module(0), Settings{}, Operators{})
	port, err := OpenPort(c)
	require.NoError(t, err)
	accepted := make(chan error)
	go func() {
		_, err := Accept(c, port, 0, nil)
		accepted <- err
	}()
	w, waits := root.Waiting(0)
	for ; !waits; w, waits = root.Waiting(0) {
		runtime.Gosched()
	}
	require.Equal(t, "accept", w.Call)
	require.EqualValues(t, pml.AnyTag, w.Tag)
	require.NoError(t, ClosePort(c, port))
	require.ErrorIs(t, <-accepted, ErrPort)
	require.NoError(t, c.Finalize())
}
