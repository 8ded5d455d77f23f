package comm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/btl/mem"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/job/jobtest"
	"github.com/gopvas/gopvas/internal/pml"
	"github.com/gopvas/gopvas/mpi/fault"
)

// survivors are the worlds of the ranks of a job that survives.
func survivors(t *testing.T, ranks int) (*job.Root, []*Comm) {
	root := jobtest.Create(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 1,
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

// agreeAll wants a flag of which each of some ranks has cleared its bit.
func agreeAll(c *Comm, members ...int) error {
	want := uint64(math.MaxUint64)
	for _, rank := range members {
		want &^= 1 << rank
	}
	for range 5 {
		if flag, err := Agree(c, ^(uint64(1) << c.Rank())); err != nil || flag != want {
			return fmt.Errorf("agree: %#x, %w, not %#x", flag, err, want)
		}
	}
	return nil
}

// Without --survive Agree is a reduction, of the members of any communicator, at once or behind others.
func TestAgreeIsAnd(t *testing.T) {
	overMem(t, 4, 2, mem.Options{}, func(c *Comm) error {
		turned, err := c.Split(0, -c.Rank())
		if err != nil {
			return err
		}
		flags := [3]uint64{uint64(c.Rank()) | 8, 7, ^uint64(c.Rank())}
		var requests [3]Request
		for i := range flags {
			if requests[i], err = Iagree(turned, flags[i], func(f uint64) { flags[i] = f }); err != nil {
				return err
			}
		}
		_, err = requests[2].Wait()
		for i := range 2 {
			_, other := requests[i].Wait()
			err = errors.Join(err, other)
		}
		if flags != [3]uint64{8, 7, ^uint64(3)} {
			return fmt.Errorf("%#x", flags)
		}
		return errors.Join(err, agreeAll(c, 0, 1, 2, 3), agreeAll(turned, 0, 1, 2, 3), turned.Free())
	})
}

// A member has failed: all others have the flag and one error, until all have acknowledged it. It makes no difference
// that the communicator was revoked.
func TestAgreeWithTheDead(t *testing.T) {
	for _, dead := range []int{0, 2} {
		t.Run(fmt.Sprint(dead), func(t *testing.T) {
			root, worlds := survivors(t, 4)
			root.MarkGone(dead)
			living := append(append([]*Comm(nil), worlds[:dead]...), worlds[dead+1:]...)
			require.Equal(t, 1, Acknowledge(living[0], 1))
			together(t, living, func(c *Comm) error {
				for range 3 {
					flag, err := Agree(c, ^(uint64(1) << c.Rank()))
					lost, ok := errors.AsType[*fault.LostError](err)
					if !ok || lost.Rank != dead || flag != ^uint64(15)|1<<dead {
						return fmt.Errorf("%#x, %w", flag, err)
					}
				}
				Acknowledge(c, 1)
				return nil
			})
			require.NoError(t, Revoke(living[1]))
			together(t, living, func(c *Comm) error {
				members := []int{living[0].Rank(), living[1].Rank(), living[2].Rank()}
				if err := agreeAll(c, members...); err != nil {
					return err
				}
				if err := c.Barrier(); !errors.Is(err, ErrRevoked) {
					return err
				}
				return nil
			})
		})
	}
}

// Members that agree on several communicators at a time, make them and free them, leave no memory behind.
func TestAgreementsGiveMemoryBack(t *testing.T) {
	_, worlds := survivors(t, 3)
	together(t, worlds, func(c *Comm) error {
		for round := range 100 {
			var made [3]*Comm
			for i := range made {
				n, err := Shrink(c)
				if err != nil {
					return err
				}
				if made[i] = n; n.Size() != 3 || n.Rank() != c.Rank() {
					return fmt.Errorf("%d of %d", n.Rank(), n.Size())
				}
				if err := agreeAll(n, 0, 1, 2); err != nil {
					return err
				}
			}
			for _, n := range made {
				if round%2 == 0 {
					if err := Revoke(n); err != nil {
						return err
					}
				}
				if err := n.Free(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for _, c := range worlds {
		require.LessOrEqual(t, c.agreements.Pages(), 2)
	}
}

// The members of a shrunk communicator are those that live, in their order; some that make another call are told.
func TestShrink(t *testing.T) {
	root, worlds := survivors(t, 5)
	root.MarkGone(0)
	root.MarkGone(3)
	require.NoError(t, Revoke(worlds[1]))
	living := []*Comm{worlds[1], worlds[2], worlds[4]}
	together(t, living, func(c *Comm) error {
		n, err := Shrink(c)
		if err != nil {
			return err
		}
		if ranks := fmt.Sprint(n.Group().ranks); ranks != "[1 2 4]" {
			return errors.New(ranks)
		}
		return errors.Join(n.Barrier(), agreeAll(n, 0, 1, 2), n.Free())
	})
	together(t, living, func(c *Comm) error {
		var err error
		before := idsInUse(c)
		if c.Rank() == 4 {
			_, err = Agree(c, 0)
		} else {
			_, err = Shrink(c)
		}
		if _, ok := errors.AsType[*fault.MismatchError](err); !ok {
			return fmt.Errorf("calls differ: %w", err)
		}
		if now := idsInUse(c); now != before {
			return fmt.Errorf("%d ids, and %d before", now, before)
		}
		return nil
	})
}

func idsInUse(c *Comm) int { return int(c.contexts.own.next) - len(c.contexts.own.returned) }

// scarce is memory of which some cannot be had.
type scarce struct {
	btl.Memory
	alloc, attach error
}

func (s scarce) Alloc(n int) ([]byte, uint64, error) {
	if s.alloc != nil {
		return nil, 0, s.alloc
	}
	return s.Memory.Alloc(n)
}

func (s scarce) Attach(peer int, at uint64, n int) ([]byte, error) {
	if s.attach != nil {
		return nil, s.attach
	}
	return s.Memory.Attach(peer, at, n)
}

// A member that cannot make its words, or read those of others, gets an error, and so does who waits for it.
func TestAgreementsWithoutMemory(t *testing.T) {
	for _, without := range []scarce{{alloc: errors.New("full")}, {attach: errors.New("no mapping left")}} {
		for poor := range 3 {
			_, worlds := survivors(t, 3)
			c := worlds[poor]
			without.Memory = c.engine.Routes().Memory(c.world())
			c.consensus = newCircle(c, without)
			before := idsInUse(worlds[2])
			together(t, worlds, func(c *Comm) error {
				for range 3 {
					_, first := Agree(c, 1)
					n, second := Shrink(c)
					if c.Rank() == poor && (first == nil || second == nil) {
						return fmt.Errorf("no error: %w, %w", first, second)
					}
					if without.alloc != nil && (first == nil || second == nil || n != nil) {
						return fmt.Errorf("rank %d takes no part: %w, %w", poor, first, second)
					}
				}
				return nil
			})
			if without.alloc != nil {
				require.Equal(t, before, idsInUse(worlds[2]))
			}
		}
	}
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
