package coll

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/test/testkit"
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

// TestWrongArguments: a call that one member is refused counts as this call. The member gets its own error, the others
// their result or an error of this call that names the member, and the next calls are right at all of them. If calls
// are checked all others are told, and why.
func TestWrongArguments(t *testing.T) {
	worlds := append(slices.Clone(colltest.Worlds), colltest.InDomains(colltest.Worlds[0]),
		colltest.InDomains(colltest.Worlds[1]))
	for w, maker := range worlds {
		for i, l := range algorithms {
			inDomains := w >= len(colltest.Worlds)
			if inDomains != (l.name == "domains") || !inDomains && !doneBy(&l, maker) {
				continue
			}
			for _, what := range testkit.Turn(i+w, slices.Sorted(maps.Keys(wrongs))...) {
				for _, refused := range []int{0, 2} {
					t.Run(fmt.Sprintf("%s/%v=%s/%s at %d", maker.Name, l.kind, l.name, what, refused),
						func(t *testing.T) { refuseIn(t, maker, &l, &refusing{refused: refused, wrong: wrongs[what]}) })
				}
			}
		}
	}
}

// refusing is how calls are refused, and what comes of it.
type refusing struct {
	refused        int // the member whose call is wrong
	wrong          func(*Args)
	refusals, told atomic.Int32 // of calls that are checked
}

func refuseIn(t *testing.T, w colltest.World, l *algorithm, r *refusing) {
	const ranks = 4
	cpus := 8
	if l.name != "domains" {
		cpus = 2 + 6*(len(l.name)%2)
	}
	root, rankOf := w.Start(t, ranks, cpus)
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		w.Choice.Blocking[l.kind] = l.name
		for i := range byte(6) {
			w.Check = i >= 4
			a := simple(l.kind, w, []int{500, 20_000}[i%2])
			if !l.regular {
				irregular(a, ranks)
			}
			err := r.call(w, a)
			if err == nil {
				err = rightCalls(w, i, r.refused)
			}
			if err != nil {
				return fmt.Errorf("round %d: %w", i, err)
			}
		}
		return nil
	}) {
		require.NoError(t, err, "rank %d", rank)
	}
	require.Equal(t, r.refusals.Load()*(ranks-1), r.told.Load(), "all others are told")
}

// call has all members make a call that is wrong at one.
func (r *refusing) call(w *Team, a *Args) error {
	there := *simple(a.Kind, w, 500)
	if a.Irregular || a.Send.Counts != nil {
		irregular(&there, w.Size)
	}
	r.wrong(&there)
	wrong := (&Team{Rank: r.refused, Size: w.Size}).prepare(&there) != nil
	if !wrong && !w.Check {
		return nil // the calls differ: nobody can tell in all of them
	}
	if w.Rank == r.refused {
		r.wrong(a)
	}
	wrong = wrong && w.Rank == r.refused
	err := w.Run(a)
	if owed := w.Owed(); owed != nil {
		owed.StandIn()
	}
	mismatch, ok := errors.AsType[*fault.MismatchError](err)
	switch {
	case wrong:
		if err == nil || ok {
			return fmt.Errorf("a wrong call returns %w", err)
		}
		if w.Check {
			r.refusals.Add(1)
		}
		return nil
	case !ok || mismatch.Refused && mismatch.Member != r.refused:
		return err
	case w.Check && mismatch.Refused && mismatch.Detail != "":
		r.told.Add(1)
	}
	return nil // a call that is right as such may not fit
}

// rightCalls are calls of all members whose results are looked at: a broadcast of the member whose call was refused, an
// Allgather and a reduction.
func rightCalls(w *Team, i byte, refused int) error {
	data := []byte{40 + i, i}
	if w.Rank != refused {
		data = make([]byte, 2)
	}
	buffer := Buffer{Data: data}
	if err := w.Run(&Args{Kind: Bcast, Root: refused, Send: buffer, Recv: buffer}); err != nil || data[0] != 40+i {
		return fmt.Errorf("the next broadcast has %d: %w", data, err)
	}
	all := make([]byte, w.Size)
	a := &Args{Kind: Allgather, Send: Buffer{Data: []byte{byte(w.Rank) + i}}, Recv: Buffer{Data: all, Block: 1}}
	if err := w.Run(a); err != nil {
		return fmt.Errorf("the next call: %w", err)
	}
	for rank, b := range all {
		if b != byte(rank)+i {
			return fmt.Errorf("the next call gives %d", all)
		}
	}
	ones := Buffer{Data: []byte{1}}
	a = &Args{Kind: Reduce, Root: refused, Op: sum, Send: ones, Recv: Buffer{Data: all[:1]}}
	if err := w.Run(a); err != nil || w.Rank == refused && all[0] != byte(w.Size) {
		return fmt.Errorf("the next reduction gives %d: %w", all[0], err)
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
