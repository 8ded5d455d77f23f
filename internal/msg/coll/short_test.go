package coll

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/board"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/shared"
	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// shortWorlds are those in which members share memory.
var shortWorlds = []colltest.World{colltest.Heap, colltest.Worlds[0], colltest.Worlds[1]}

// shortKinds are those of short calls.
var shortKinds = []Kind{Barrier, Allreduce, ReduceScatter, Allgather, Alltoall}

// short begins a short call.
func (i issuer) short(a *Args) (pml.Request, error) {
	x := i.Short(a)
	if x == nil {
		return pml.Request{}, errNotShort
	}
	return x.Begin(i.channel, nil)
}

var errNotShort = errors.New("not a short call")

// TestShortCalls: results are those of the model, with as many calls underway as slots and more,
// waited for in any order.
func TestShortCalls(t *testing.T) {
	seed := testkit.Seed(t)
	for _, maker := range shortWorlds {
		for _, size := range []struct{ ranks, cpus int }{{2, 2}, {2, 1}, {3, 3}, {5, 5}, {5, 2},
			{board.MostMembers, board.MostMembers}, {board.MostMembers, 2}} {
			ranks := size.ranks
			t.Run(fmt.Sprintf("%s/ranks=%d/cpus=%d", maker.Name, ranks, size.cpus), func(t *testing.T) {
				root, rankOf := maker.Start(t, ranks, size.cpus)
				for rank, err := range run(t, root, rankOf, func(w *Team) error {
					me := issuing(w, shared.Options{})
					if err := w.Barrier(); err != nil { // it makes the ring
						return err
					}
					return errors.Join(tryShort(me, seed, testkit.Rounds(4000)/(ranks*ranks)), me.close())
				}) {
					require.NoError(t, err, "rank %d", rank)
				}
			})
		}
	}
}

func tryShort(w issuer, seed uint64, calls int) error {
	own := rand.New(rand.NewPCG(seed, uint64(w.Rank)))
	var air []flight
	for i := range calls {
		x := regular(newDraw(seed+uint64(i)<<32), w.Size, w.Rank)
		r, err := w.short(&x.Args)
		if err != nil {
			return fmt.Errorf("%s: %w", x.text, err)
		}
		air = append(air, flight{x, w.Team, "flat", r})
		left := own.IntN(40)
		if i == calls-1 {
			left = 0
		}
		if err := land(w.Team, own, &air, left); err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
	}
	return nil
}

// regular draws a call that is short.
func regular(d draw, size, me int) *trial {
	for {
		x := plot(d, shortKinds[d.IntN(len(shortKinds))], size, me, 1000)
		if !x.Irregular && x.size() > 0 || x.Kind == Barrier {
			return x
		}
	}
}

// TestShortCallsOfAMemberThatGoes: all others get an error that names it, now and later, but not
// from calls that it took part in. A member may make the others' calls fail while these look at
// the call before, so it is done several times.
func TestShortCallsOfAMemberThatGoes(t *testing.T) {
	const ranks, dead, times = 4, 2, 30
	for i := range times * len(shortWorlds) {
		root, rankOf := shortWorlds[i%len(shortWorlds)].Start(t, ranks, ranks)
		for rank, err := range run(t, root, rankOf, func(w *Team) error {
			me := issuing(w, shared.Options{})
			if err := w.Barrier(); err != nil {
				return err
			}
			for i := range 3 {
				if w.Rank == dead && i == 2 {
					return errGone
				}
				r, err := me.short(simple(Allreduce, w, 8))
				if err == nil {
					_, err = r.Wait()
				}
				if err != nil && i < 2 {
					return fmt.Errorf("call %d: %v", i, err) // not that it is lost
				}
				if err != nil {
					again, _ := me.short(simple(Barrier, w, 0))
					_, later := again.Wait()
					return errors.Join(err, later)
				}
			}
			return nil
		}) {
			if rank == dead {
				continue
			}
			both, ok := err.(interface{ Unwrap() []error })
			require.True(t, ok, "rank %d: %v", rank, err)
			for _, err := range both.Unwrap() {
				lost, ok := errors.AsType[*fault.LostError](err)
				require.True(t, ok, "rank %d: %v", rank, err)
				require.Equal(t, dead, lost.Rank)
			}
		}
	}
}

// TestShortCallsThatDiffer: all members get a *MismatchError if one of them makes another short
// call. That holds too where members sleep after their first look.
func TestShortCallsThatDiffer(t *testing.T) {
	for _, maker := range shortWorlds {
		for ranks := 2; ranks <= 4; ranks++ {
			for other := range ranks {
				for _, cpus := range []int{ranks, 1} {
					root, rankOf := maker.Start(t, ranks, cpus)
					differ(t, root, rankOf, other)
				}
			}
		}
	}
}

// differ lets one rank make another call than all others.
func differ(t *testing.T, root *job.Root, rankOf func(int) colltest.Rank, other int) {
	const size = 8
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		me := issuing(w, shared.Options{Describe: func(call uint64) string { return DescribeCall(call, nil) }})
		if err := w.Barrier(); err != nil {
			return err
		}
		a := simple(Barrier, w, 0)
		if w.Rank == other {
			a = simple(Allreduce, w, size)
		}
		failed := me.either(a)
		w.Choice.Blocking[Barrier] = "tree"                 // of messages
		return errors.Join(failed, w.Barrier(), me.close()) // nobody leaves before all know
	}) {
		_, ok := errors.AsType[*fault.MismatchError](err)
		require.True(t, ok, "rank %d: %v", rank, err)
		require.ErrorContains(t, err, "barrier")
		require.ErrorContains(t, err, fmt.Sprintf("allreduce of %d bytes", size))
	}
}

// either makes a call by the way that a face takes.
func (i issuer) either(a *Args) error {
	r, err := i.short(a)
	if errors.Is(err, errNotShort) {
		return i.graph(a)
	}
	if err == nil {
		_, err = r.Wait()
	}
	return err
}

// TestShortCallOperatorPanics: the members that apply it are told.
func TestShortCallOperatorPanics(t *testing.T) {
	root, rankOf := colltest.Heap.Start(t, 2, 2)
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		me := issuing(w, shared.Options{})
		if err := w.Barrier(); err != nil {
			return err
		}
		a := simple(Allreduce, w, 8)
		a.Op = &Op{Size: 8, Commutative: true, Apply: func(_, _ []byte) { panic("no sum") }}
		failed := me.either(a)
		return errors.Join(failed, me.either(simple(Barrier, w, 0)), me.close())
	}) {
		_, ok := errors.AsType[*fault.OperatorError](err)
		require.True(t, ok, "rank %d: %v", rank, err)
		require.ErrorContains(t, err, "no sum")
	}
}
