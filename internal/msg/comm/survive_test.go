package comm

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/mpi/fault"
)

// survivors are the worlds of the ranks of a job that survives.
func survivors(t *testing.T, ranks int) (*job.Root, []*Comm) { return survivorsOf(t, ranks, job.BTLSM) }

func survivorsOf(t *testing.T, ranks int, by job.BTL) (*job.Root, []*Comm) {
	root := jobtest.Create(t, job.Config{Ranks: ranks, BTL: by, CPUs: 1,
		Settings: job.Settings{Survive: true}}).Root()
	w := mem.New(root, mem.Options{})
	var worlds []*Comm
	for rank := range ranks {
		worlds = append(worlds, NewWorld(root, rank, w.Module(rank), Settings{}, Operators{}))
		root.SetState(rank, job.StateInit)
	}
	return root, worlds
}

// A rank revokes the world, ends well and is gone. Calls of the others are refused because of the revocation, not
// because of the rank, though they have not read it before.
func TestRevokedComesBeforeGone(t *testing.T) {
	for name, call := range map[string]func(c *Comm) error{
		"ssend": func(c *Comm) error { return Send(c, Synchronous, nil, 1, 0, 0) },
		"recv":  func(c *Comm) error { return Recv(c, new(Status), nil, 1, 0, 0) },
		"any":   func(c *Comm) error { return Recv(c, new(Status), nil, 1, AnySource, 0) },
		"probe": func(c *Comm) error { _, err := Probe(c, 0, 0); return err },
		"dup":   func(c *Comm) error { _, err := c.Dup(); return err },
		"barrier": func(c *Comm) error {
			return c.Barrier()
		},
		"ibarrier": func(c *Comm) error {
			r, err := c.Ibarrier()
			if err == nil {
				_, err = r.Wait()
			}
			return err
		},
	} {
		for _, known := range []bool{false, true} { // that rank 0 has gone
			t.Run(name, func(t *testing.T) {
				root, worlds := survivors(t, 3)
				leave := func() {
					root.SetState(0, job.StateFinal)
					root.MarkGone(0)
				}
				if known {
					leave()
					worlds[1].engine.Progress()
					require.NoError(t, Revoke(worlds[2]))
				} else {
					require.NoError(t, Revoke(worlds[0]))
					leave()
				}
				require.ErrorIs(t, call(worlds[1]), ErrRevoked)
			})
		}
	}
}

// The number of calls on a world that was revoked is not compared with that of others.
func TestCallsOnARevokedWorldAreNotCompared(t *testing.T) {
	root, worlds := survivors(t, 2)
	require.NoError(t, Revoke(worlds[0]))
	for rank, c := range worlds {
		require.NoError(t, c.Finalize())
		_, known := root.WorldCalls(rank)
		require.False(t, known)
	}
}

// A process reads the revocation of a communicator before it has made it. What others have sent to it there is dropped
// nevertheless.
func TestRevokedBeforeItIsMade(t *testing.T) {
	root, worlds := survivors(t, 2)
	id := worlds[0].contexts.take()
	there := worlds[1].newComm(worlds[1].group, id)
	r, err := there.engine.Isend(there.context, 0, 0, nil, pml.Synchronous)
	require.NoError(t, err)
	require.True(t, job.Revoke(root, job.Revocation{ID: uint32(id), Serial: uint32(id >> 32)}))
	worlds[0].engine.Progress()
	here := worlds[0].newComm(worlds[0].group, id)
	require.True(t, IsRevoked(here))
	_, done, err := r.Test()
	require.NoError(t, err)
	require.True(t, done)
}

// together runs f at some ranks, each a goroutine.
func together(t *testing.T, worlds []*Comm, f func(c *Comm) error) {
	t.Helper()
	var wg sync.WaitGroup
	for _, c := range worlds {
		wg.Go(func() {
			if err := f(c); err != nil {
				t.Errorf("rank %d: %v", c.Rank(), err)
			}
		})
	}
	wg.Wait()
}

// A communicator that was interrupted at this rank, and then revoked, is one that was revoked.
func TestRevokedAfterInterrupted(t *testing.T) {
	_, worlds := survivors(t, 2)
	worlds[0].state.Store(interrupted)
	require.NoError(t, Revoke(worlds[1]))
	require.True(t, IsRevoked(worlds[0]))
	require.ErrorIs(t, worlds[0].Barrier(), ErrRevoked)
	together(t, worlds, func(c *Comm) error { return agreeAll(c, 0, 1) })
}

// A rank dies in a run. One that waits for another, which has returned, on a communicator of its own comes back, too,
// and both end the next run.
func TestSurvive(t *testing.T) {
	root, worlds := survivors(t, 3)
	together(t, worlds, func(world *Comm) error {
		runs := 0
		err := Survive(world, func(c *Comm) error {
			if runs++; runs == 2 {
				return errors.Join(wantSize(c, 2), c.Barrier())
			}
			own, err := c.Dup()
			switch {
			case err != nil:
				return err
			case c.Rank() == 2:
				root.MarkGone(2)
				runtime.Goexit()
			case c.Rank() == 1:
				return own.Barrier()
			}
			return Recv(c, new(Status), nil, 1, 2, 0)
		})
		if err == nil && runs != 2 {
			err = fmt.Errorf("%d runs", runs)
		}
		return errors.Join(err, world.Self().Barrier())
	})
}

func wantSize(c *Comm, size int) error {
	if c.Size() != size {
		return fmt.Errorf("%d ranks, not %d", c.Size(), size)
	}
	return nil
}

// An error that no failure explains ends Survive at all ranks, and so does one that says that a rank has gone though
// all live.
func TestSurviveEndsByErrors(t *testing.T) {
	for _, odd := range []error{errors.New("odd"), &fault.LostError{Rank: 7}} {
		_, worlds := survivors(t, 3)
		together(t, worlds, func(world *Comm) error {
			err := Survive(world, func(c *Comm) error {
				if c.Rank() == 1 {
					return odd
				}
				return c.Barrier()
			})
			if err == nil || (world.Rank() == 1) != errors.Is(err, odd) {
				return fmt.Errorf("%w", err)
			}
			return world.Barrier()
		})
	}
	_, worlds := survivors(t, 1)
	require.Error(t, Survive(worlds[0], nil))
	require.ErrorIs(t, Survive(With(canceled(), worlds[0]), func(*Comm) error { return nil }), ErrView)
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error { // without --survive f is called once
		runs := 0
		err := Survive(c, func(n *Comm) error {
			runs++
			return n.Barrier()
		})
		if runs != 1 {
			err = fmt.Errorf("%d runs", runs)
		}
		return err
	})
}

// A member that has returned from the function agrees in Survive. So nobody agrees in the function, with --survive or
// without: it would be taken for the same agreement.
func TestSurviveAgreesAlone(t *testing.T) {
	inside := func(world *Comm) error {
		return Survive(world, func(c *Comm) error {
			own, err := c.Dup()
			if err != nil {
				return err
			}
			for _, c := range []*Comm{c, own} {
				_, agreed := Agree(c, 1)
				_, begun := Iagree(c, 1, func(uint64) {})
				_, shrunk := Shrink(c)
				survived := Survive(c, (*Comm).Barrier)
				for _, err := range []error{agreed, begun, shrunk, survived} {
					if !errors.Is(err, errWithin) {
						return fmt.Errorf("it is called: %w", err)
					}
				}
			}
			return errors.Join(c.Barrier(), own.Free())
		})
	}
	_, worlds := survivors(t, 3)
	together(t, worlds, inside)
	overMem(t, 2, 2, mem.Options{}, inside)
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// In a step of a call a member finds that another one has failed. Those that have all steps behind them are told.
func TestFailureInAStepRevokes(t *testing.T) {
	root, worlds := survivors(t, 3)
	made := make([]*Comm, 3)
	var others sync.WaitGroup
	others.Add(2)
	together(t, worlds, func(c *Comm) error {
		if c.Rank() != 1 {
			defer others.Done()
			return Make(c, "make", func(own *Comm) error {
				made[c.Rank()] = own
				return nil
			})
		}
		err := Make(c, "make", func(own *Comm) error {
			others.Wait()
			root.MarkGone(2)
			for !IsRevoked(own) { // by the failure
				runtime.Gosched()
			}
			return ErrRevoked
		})
		if lost, ok := errors.AsType[*fault.LostError](err); !ok || lost.Rank != 2 {
			return fmt.Errorf("it returns %w", err)
		}
		return nil
	})
	require.True(t, IsRevoked(made[0]))
}

// A rank lets the memory of the dead go when no call and no window of its own may read there. All have to do so, but
// those that have gone, or have ended their part.
func TestLetsMemoryOfTheDeadGo(t *testing.T) {
	root, worlds := survivorsOf(t, 4, job.BTLPvas)
	root.MarkGone(3)
	letGo := func(rank int) uint32 {
		worlds[rank].letGo()
		return job.HasLetGo(root, rank)
	}
	require.True(t, worlds[0].entry.Enter("call"))
	require.Zero(t, letGo(0))
	worlds[0].entry.Leave()
	require.EqualValues(t, 1, letGo(0))

	Expose(worlds[1])
	require.Zero(t, letGo(1))
	require.Zero(t, job.AllLetGo(root))
	worlds[1].exposes.Store(false)
	require.EqualValues(t, 1, letGo(1))
	require.Zero(t, job.AllLetGo(root), "rank 2 has not")
	root.SetState(2, job.StateFinal)
	require.EqualValues(t, 1, job.AllLetGo(root))

	root.MarkGone(2)
	require.EqualValues(t, 1, job.AllLetGo(root))
	require.EqualValues(t, 2, letGo(0))
	root.MarkGone(1)
	require.EqualValues(t, 2, job.AllLetGo(root))
}
