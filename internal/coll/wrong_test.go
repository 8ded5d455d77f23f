package coll

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/coll/colltest"
	"github.com/gopvas/gopvas/internal/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// wrongs are the ways in which a member's call may be wrong. Those that do not apply
// to a kind leave the call as it is.
var wrongs = map[string]func(a *Args){
	"receive buffer": func(a *Args) { a.Recv.Data = a.Recv.Data[:len(a.Recv.Data)/2] },
	"send buffer":    func(a *Args) { a.Send.Data = a.Send.Data[:len(a.Send.Data)/2] },
	"root":           func(a *Args) { a.Root = -1 },
	"seen above": func(a *Args) {
		a.Wrong = errors.New("bad type")
		a.Send, a.Recv,
			a.Op = Buffer{}, Buffer{}, nil
	},
	"counts": func(a *Args) {
		for _, b := range []*Buffer{&a.Send, &a.Recv} {
			if b.Counts != nil {
				b.Counts = []int{-1, 1 << 62, 3}
			}
		}
	},
}

// TestWrongArguments: the member whose arguments are wrong gets an error that says so, and has done nothing
// for the call. If calls are checked the others get an error that names it and the cause, if they are in the
// same operation. They do not notice it in another one, and are ready for the next call.
func TestWrongArguments(t *testing.T) {
	for _, maker := range colltest.Worlds {
		for i, l := range algorithms {
			if !doneBy(&l, maker) {
				continue
			}
			for _, what := range testkit.Turn(i, slices.Sorted(maps.Keys(wrongs))...) {
				t.Run(fmt.Sprintf("%s/%v=%s/%s", maker.Name, l.kind, l.name, what), func(t *testing.T) {
					refuseIn(t, maker, &l, wrongs[what])
				})
			}
		}
	}
}

const refused = 2 // the member whose call is wrong

func refuseIn(t *testing.T, w colltest.World, l *algorithm, wrong func(*Args)) {
	const ranks = 4
	root, rankOf := w.Start(t, ranks, 2+6*(len(l.name)%2))
	var refusals, told atomic.Int32
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		w.Choice.Blocking[l.kind] = l.name
		for i := range byte(6) {
			call := func() *Args {
				a := simple(l.kind, w, 500)
				if !l.regular {
					irregular(a, ranks)
				}
				return a
			}
			w.Check = i >= 2
			var err error
			if i < 4 {
				err = refusedAlone(w, call, wrong)
			} else {
				err = refusedToo(w, call, wrong, &refusals, &told)
			}
			if err == nil {
				err = rightCalls(w, i, l.kind == Bcast)
			}
			if err != nil {
				return fmt.Errorf("round %d: %w", i, err)
			}
		}
		return nil
	}) {
		require.NoError(t, err, "rank %d", rank)
	}
	require.Equal(t, refusals.Load()*(ranks-1), told.Load(), "all others are told")
}

// refusedAlone has one member alone make a call that is wrong.
func refusedAlone(w *Team, call func() *Args, wrong func(*Args)) error {
	a := call()
	if wrong(a); w.Rank != refused || !w.isWrong(*a) {
		return nil
	}
	mismatch := &fault.MismatchError{}
	if err := w.Run(a); err == nil || errors.As(err, &mismatch) {
		return fmt.Errorf("a wrong call returns %w", err)
	}
	return nil
}

func (t *Team) isWrong(a Args) bool { return t.prepare(&a) != nil }

// refusedToo has all members make a call that is wrong at one.
func refusedToo(w *Team, call func() *Args, wrong func(*Args), refusals, told *atomic.Int32) error {
	a := call()
	if w.Rank == refused {
		wrong(a)
	}
	err := w.Run(a)
	mismatch, ok := errors.AsType[*fault.MismatchError](err)
	switch {
	case w.Rank == refused && err != nil && !ok:
		refusals.Add(1)
	case ok && mismatch.Refused && mismatch.Member == refused && mismatch.Detail != "":
		told.Add(1)
	case ok && !mismatch.Refused: // the call was right as such, but did not fit
	default:
		return err
	}
	return nil
}

// rightCalls are calls of all members whose results are looked at: a broadcast, unless one was wrong, and others.
func rightCalls(w *Team, i byte, noBcast bool) error {
	data := []byte{40 + i, i}
	if w.Rank != refused {
		data = make([]byte, 2)
	}
	all := make([]byte, w.Size)
	if !noBcast {
		buffer := Buffer{Data: data}
		if err := w.Run(&Args{Kind: Bcast, Root: refused, Send: buffer, Recv: buffer}); err != nil || data[0] != 40+i {
			return fmt.Errorf("the next broadcast has %d: %w", data, err)
		}
	}
	a := &Args{Kind: Allgather, Send: Buffer{Data: []byte{byte(w.Rank) + i}}, Recv: Buffer{Data: all, Block: 1}}
	if noBcast {
		a = &Args{Kind: Alltoall, Send: Buffer{Data: slices.Repeat([]byte{byte(w.Rank) + i}, w.Size), Block: 1},
			Recv: a.Recv}
	}
	if err := w.Run(a); err != nil {
		return fmt.Errorf("the next call: %w", err)
	}
	for rank, b := range all {
		if b != byte(rank)+i {
			return fmt.Errorf("the next call gives %d", all)
		}
	}
	return nil
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

// A count of all members where that of one is meant: the error names the count, not the overlap that it makes.
func TestCountsBeforeOverlap(t *testing.T) {
	memory := make([]byte, 64)
	for _, kind := range []Kind{Gather, Scatter} {
		a := Args{Kind: kind, Send: Buffer{Data: memory[24:32], Block: 8}, Recv: Buffer{Data: memory[:48], Block: 24}}
		if kind == Scatter {
			a.Send, a.Recv = Buffer{Data: memory[:48], Block: 24}, Buffer{Data: memory[24:32], Block: 8}
		}
		team := &Team{Size: 2}
		require.ErrorContains(t, team.prepare(&a), "a count is that of one rank, not of all")
	}
}
