package window

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// windowOf runs f on ranks that have a window of 64 bytes each, in units of 8.
func windowOf(t *testing.T, ranks int, hints *comm.Info, f func(w *Window) error) {
	if testkit.Race {
		t.Skip("the locks lie in mapped memory, which the race detector does not see")
	}
	root := jobtest.Create(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 2}).Root()
	world := mem.New(root, mem.Options{})
	jobtest.Ranks(t, root, func(rank int) error {
		c := comm.NewWorld(root, rank, world.Module(rank), comm.Settings{}, comm.Operators{})
		w, err := New(c, Spec{Flavor: Allocated, Bytes: 64, Unit: 8, Hints: hints})
		if err != nil {
			return err
		}
		return errors.Join(f(w), w.Free(), c.Finalize())
	})
}

// in calls the functions until one returns an error.
func in(steps ...func() error) error {
	for i, do := range steps {
		if err := do(); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

// is returns an error unless a call has ended with this one.
func is(err, want error) error {
	if errors.Is(err, want) {
		return nil
	}
	return fmt.Errorf("%w, not %v", err, want)
}

func noRank(err error) error {
	if _, ok := errors.AsType[*fault.RankError](err); ok {
		return nil
	}
	return fmt.Errorf("%w, not that there is no such rank", err)
}

func (w *Window) putBytes(rank, disp int, b ...byte) error {
	from := comm.Bytes(b)
	return w.Put(&from, &Place{Rank: rank, Disp: disp, Bytes: len(b)})
}

// has returns an error unless a target has these bytes.
func (w *Window) has(rank, disp int, want ...byte) error {
	b := make([]byte, len(want))
	to := comm.Bytes(b)
	if err := w.Get(&to, &Place{Rank: rank, Disp: disp, Bytes: len(b)}); err != nil || !bytes.Equal(b, want) {
		return fmt.Errorf("%v, not %v: %w", b, want, err)
	}
	return nil
}

// Rank 0 puts to two others, of which one waits for its end and the other one asks. Each finds what it has put, when it
// has learnt of the end and not before.
func TestPostStartCompleteWait(t *testing.T) {
	windowOf(t, 3, nil, func(w *Window) error {
		group := func(ranks ...int) *comm.Group {
			g, _ := w.own.Group().Incl(ranks...)
			return g
		}
		for round := range 3 {
			assert := Assert(0)
			if round == 2 { // a barrier in place of Post's messages
				assert = NoCheck
			}
			if w.me == 0 {
				if round == 2 {
					if err := w.own.Barrier(); err != nil {
						return err
					}
				}
				err := in(
					func() error { return w.Start(group(1, 2), assert) },
					func() error { return w.putBytes(1, 0, byte(round+1)) },
					func() error { return w.putBytes(2, 7, byte(round+2)) },
					func() error { return is(w.putBytes(0, 0, 1), ErrSync) },
					w.own.Barrier, // the other one has asked once
					w.Complete,
					func() error { return is(w.Complete(), ErrSync) })
				if err != nil {
					return err
				}
				continue
			}
			if err := w.Post(group(0), assert); err != nil {
				return err
			}
			if round == 2 {
				if err := w.own.Barrier(); err != nil {
					return err
				}
			}
			done, err := w.Test()
			if done || err != nil {
				return fmt.Errorf("the end of an epoch that has not ended: %w", err)
			}
			if err := errors.Join(is(w.Post(group(0), 0), ErrSync), w.own.Barrier()); err != nil {
				return err
			}
			if w.me == 1 {
				err = w.Wait()
			}
			for w.me == 2 && !done && err == nil {
				done, err = w.Test()
			}
			if err != nil {
				return err
			}
			if _, err := w.Test(); !errors.Is(err, ErrSync) || !errors.Is(w.Wait(), ErrSync) {
				return fmt.Errorf("after the end of an epoch: %w", err)
			}
			err = in(
				func() error { return w.Lock(false, w.me, 0) },
				func() error { return w.has(w.me, 7*(w.me-1), byte(round+w.me)) },
				func() error { return w.Unlock(w.me) })
			if err != nil {
				return err
			}
		}
		return w.own.Barrier()
	})
}

// A group that has a rank which is not in the window begins no epoch.
func TestGroupOfOthers(t *testing.T) {
	windowOf(t, 2, nil, func(w *Window) error {
		half, err := w.own.Split(w.me, 0)
		if err != nil {
			return err
		}
		small, err := New(half, Spec{Flavor: Allocated, Bytes: 8, Unit: 8})
		if err != nil {
			return err
		}
		return in(
			func() error { return is(small.Start(w.own.Group(), 0), ErrArgument) },
			func() error { return is(small.Post(w.own.Group(), 0), ErrArgument) },
			func() error { return small.Fence(0) }, // nothing has begun
			func() error { return small.Fence(NoSucceed) },
			small.Free, half.Free)
	})
}

// Operations stay within the memory of their target.
func TestRanges(t *testing.T) {
	vector, err := datatype.Vector(3, 1, 4, datatype.Float64) // 72 bytes from first to last
	if err != nil {
		t.Fatal(err)
	}
	long, err := vector.Times(1)
	if err != nil {
		t.Fatal(err)
	}
	windowOf(t, 2, nil, func(w *Window) error {
		other := 1 - w.me
		b := comm.Bytes(make([]byte, 24))
		if err := w.LockAll(0); err != nil {
			return err
		}
		err := in(
			func() error { return w.putBytes(other, 7, 1, 2, 3, 4, 5, 6, 7, byte(w.me)) },
			func() error { return w.has(other, 7, 1, 2, 3, 4, 5, 6, 7, byte(w.me)) },
			func() error { return is(w.putBytes(other, 7, make([]byte, 9)...), ErrRange) },
			func() error { return is(w.putBytes(other, 8, 1), ErrRange) },
			func() error { return is(w.putBytes(other, -1, 1), ErrRange) },
			func() error { return is(w.putBytes(other, 1<<61, 1), ErrRange) },
			func() error { return is(w.putBytes(other, 1<<60, 1), ErrRange) },
			func() error { return noRank(w.putBytes(2, 0, 1)) },
			func() error { return noRank(w.putBytes(-5, 0, 1)) },
			func() error { return w.putBytes(comm.ProcNull, 99, 1) },
			func() error { return w.putBytes(other, 99) }, // nothing
			func() error { return is(w.Put(&b, &Place{Rank: other, Layout: &long, Bytes: 24}), ErrRange) },
			func() error { return is(w.Put(&b, &Place{Rank: other, Bytes: 16}), ErrLength) })
		return errors.Join(err, w.UnlockAll())
	})
}

// A hint that is none, or has a value that is none, is ignored; others are told, beside the defaults.
func TestHints(t *testing.T) {
	given := &comm.Info{}
	given.Set("no_locks", "perhaps")
	given.Set("same_size", "true")
	given.Set("color", "red")
	windowOf(t, 2, given, func(w *Window) error {
		says := func(key, want string) func() error {
			return func() error {
				if got, _ := w.Info().Get(key); got != want {
					return fmt.Errorf("%s is %q, not %q", key, got, want)
				}
				return nil
			}
		}
		bad, more := &comm.Info{}, &comm.Info{}
		bad.Set("mpi_accumulate_granularity", "-1")
		more.Set("mpi_accumulate_granularity", "8")
		more.Set(comm.KeyAlignment, "3")
		return in(
			says("no_locks", "false"), says("same_size", "true"), says("color", ""),
			says("accumulate_ops", "same_op_no_op"), says("mpi_accumulate_granularity", "0"),
			func() error { return is(w.SetInfo(bad), ErrArgument) },
			says("mpi_accumulate_granularity", "0"),
			func() error { return w.SetInfo(nil) },
			func() error { return w.SetInfo(more) },
			says("mpi_accumulate_granularity", "8"), says("same_size", "true"),
			says(comm.KeyAlignment, ""))
	})
}
