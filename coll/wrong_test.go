package coll

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/coll/colltest"
)

// wrongs are the ways in which a member's call may be wrong. Those that do not apply
// to a kind leave the call as it is.
var wrongs = map[string]func(a *Args){
	"receive buffer": func(a *Args) { a.Recv.Data = a.Recv.Data[:len(a.Recv.Data)/2] },
	"send buffer":    func(a *Args) { a.Send.Data = a.Send.Data[:len(a.Send.Data)/2] },
	"root":           func(a *Args) { a.Root = -1 },
	"seen above":     func(a *Args) { a.Wrong = errors.New("bad type"); a.Send, a.Recv, a.Op = Buffer{}, Buffer{}, nil },
	"counts": func(a *Args) {
		for _, b := range []*Buffer{&a.Send, &a.Recv} {
			if b.Counts != nil {
				b.Counts = []int{-1, 1 << 62, 3}
			}
		}
	},
}

// TestWrongArguments: the member whose arguments are wrong gets an error that says so. If
// the others can learn of it, at a board or because calls are checked, they get an error
// that names it, and all are ready for the next call.
func TestWrongArguments(t *testing.T) {
	for _, maker := range colltest.Worlds {
		for i, l := range algorithms {
			if !doneBy(&l, maker) {
				continue
			}
			for what, wrong := range wrongs {
				t.Run(fmt.Sprintf("%s/%v=%s/%s", maker.Name, l.kind, l.name, what), func(t *testing.T) {
					refuseIn(t, maker, &l, wrong, i%2 == 0)
				})
			}
		}
	}
}

func refuseIn(t *testing.T, w colltest.World, l *algorithm, wrong func(*Args), check bool) {
	const ranks, refuses = 4, 2
	check = check || !w.Direct || l.kind == Bcast && !l.direct // in a slot the root waits for nobody. Else the others wait, or are told in the next call
	root, rankOf := w.Start(t, ranks, 2+6*(len(l.name)%2))
	var refusals, told atomic.Int32
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		w.Choice.Blocking[l.kind], w.Check = l.name, check
		for range 2 {
			a := simple(l.kind, w, 500)
			if !l.regular {
				irregular(a, ranks)
			}
			if w.Rank == refuses {
				wrong(a)
			}
			err := w.Run(a)
			mismatch, ok := errors.AsType[*MismatchError](err)
			switch {
			case w.Rank == refuses && err != nil && !ok:
				refusals.Add(1)
			case ok && mismatch.Member == refuses && mismatch.Refused:
				told.Add(1)
			case ok && !mismatch.Refused: // the call was right as such, but did not fit
			case err != nil:
				return err
			}
			if err := w.Run(simple(Alltoall, w, 10)); err != nil {
				return fmt.Errorf("next call: %w", err)
			}
		}
		return nil
	}) {
		require.NoError(t, err, "rank %d", rank)
	}
	if refusals.Load() != 0 && (w.Direct || check) {
		require.EqualValues(t, 2, refusals.Load())
		require.EqualValues(t, 2*(ranks-1), told.Load(), "all others are told")
	}
}

// irregular gives a call that moves blocks the v form.
func irregular(a *Args, members int) {
	for _, b := range []*Buffer{&a.Send, &a.Recv} {
		if b.Block == 0 {
			continue
		}
		a.Irregular = a.Kind >= Gather
		b.Counts, b.Displs, b.Unit = make([]int, members), make([]int, members), 1
		for i := range members {
			b.Counts[i], b.Displs[i] = b.Block, i*b.Block
		}
	}
}

// TestAllAreWrong: then each gets its own error.
func TestAllAreWrong(t *testing.T) {
	for _, maker := range colltest.Worlds {
		root, rankOf := maker.Start(t, 3, 2)
		for rank, err := range run(t, root, rankOf, func(w *Team) error {
			w.Check = !maker.Direct
			for kind := Bcast; kind < kinds; kind++ {
				a := simple(kind, w, 100)
				a.Wrong = fmt.Errorf("mistake of %d", w.Rank)
				if err := w.Run(a); !errors.Is(err, a.Wrong) {
					return fmt.Errorf("%v: %w", kind, err)
				}
			}
			return w.Barrier()
		}) {
			require.NoError(t, err, "rank %d", rank)
		}
	}
}
