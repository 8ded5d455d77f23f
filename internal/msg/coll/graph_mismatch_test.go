package coll

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/shared"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// other is an operator of the program that is told from sum by its elements.
var other = &Op{Size: 2, Commutative: true, Apply: func(_, _ []byte) {}}

// mismatches are what one member may call while the others call the first.
var mismatches = []struct {
	what        string
	most, one   func(w *Team) *Args
	here, there string // how the errors name them
}{
	{"kinds", kindOf(Allreduce, 40), kindOf(Barrier, 0), "allreduce of 40 bytes", "barrier"},
	{"rooted kinds", kindOf(Bcast, 40), kindOf(Reduce, 40), "bcast of 40 bytes, root 0", "reduce of 40 bytes"},
	{"blocks", kindOf(Alltoall, 8), kindOf(Allgather, 8), "alltoall of 8 bytes", "allgather of 8 bytes"},
	{"roots", rootOf(Bcast, 0), rootOf(Bcast, 1), "root 0", "root 1"},
	{"roots of reductions", rootOf(Reduce, 1), rootOf(Reduce, 0), "root 1", "root 0"},
	{"roots of gathers", rootOf(Gather, 0), rootOf(Gather, 1), "root 0", "root 1"},
	{"lengths", kindOf(Allreduce, 40), kindOf(Allreduce, 48), "40 bytes", "48 bytes"},
	{"lengths and pieces", kindOf(Bcast, 40), kindOf(Bcast, 200_000), "40 bytes", "200000 bytes"},
	{"lengths and algorithms", kindOf(Scan, 100), kindOf(Scan, 100_000), "scan of 100 bytes", "scan of 100000 bytes"},
	{"operators", kindOf(Allreduce, 40), func(w *Team) *Args {
		a := simple(Allreduce, w, 40)
		a.Op = other
		return a
	}, "on 1 bytes", "on 2 bytes"},
	{"regularity", kindOf(Alltoall, 8), func(w *Team) *Args {
		a := simple(Alltoall, w, 8)
		irregular(a, w.Size)
		return a
	}, "alltoall of 8 bytes", "alltoall of any lengths"},
	{"types", typeOf(datatype.ElementInt32), typeOf(datatype.ElementFloat64), "4-byte integers",
		"8-byte floating-point numbers"},
	{"mistake", kindOf(Allgather, 8), func(w *Team) *Args {
		a := simple(Allgather, w, 8)
		a.Wrong = errWrong
		return a
	}, "", ""},
	{"mistake in the root", rootOf(Bcast, 1), rootOf(Bcast, -1), "", ""},
}

var errWrong = errors.New("wrong")

func kindOf(kind Kind, n int) func(*Team) *Args {
	return func(w *Team) *Args { return simple(kind, w, n) }
}

func typeOf(e datatype.Element) func(*Team) *Args {
	return func(w *Team) *Args {
		a := simple(Bcast, w, 16)
		a.Send.Of = e
		return a
	}
}

func rootOf(kind Kind, root int) func(*Team) *Args {
	return func(w *Team) *Args {
		a := simple(kind, w, 10)
		a.Root = root
		return a
	}
}

// graph issues a call and waits for it. One that is wrong is refused, so that nobody waits.
func (i issuer) graph(a *Args) error {
	g, err := i.Graph(*a)
	if err != nil {
		if g == nil {
			return err
		}
		i.engine.Refuse(i.channel, g, err)
		return err
	}
	request, err := i.engine.Issue(i.channel, g)
	if err == nil {
		_, err = request.Wait()
	}
	return err
}

// TestGraphsThatDoNotMatch: one member calls something else than the others, and calls are
// checked. All are told, with both calls, and the next call works.
func TestGraphsThatDoNotMatch(t *testing.T) {
	for _, maker := range graphWorlds {
		for _, c := range mismatches {
			for ranks := 2; ranks <= 5; ranks++ {
				if (testkit.Race || !testkit.Long()) && ranks != 3 {
					continue // the fewest with two peers, of whom one may be the first to find out
				}
				t.Run(fmt.Sprintf("%s/%s/ranks=%d", maker.Name, c.what, ranks), func(t *testing.T) {
					for odd := range ranks {
						root, rankOf := maker.Start(t, ranks, 2+odd%2*6)
						mistakes := 0
						for rank, err := range run(t, root, rankOf, func(w *Team) error {
							return mismatch(w, c.most, c.one, odd)
						}) {
							mismatch, ok := errors.AsType[*fault.MismatchError](err)
							if !ok {
								require.NoError(t, err, "rank %d", rank)
								continue
							}
							mistakes++
							require.True(t, rank != mismatch.Member || c.here == "" && rank == odd)
							if c.here == "" {
								require.True(t, mismatch.Refused, err)
								continue
							}
							require.Contains(t, err.Error(), c.here)
							require.Contains(t, err.Error(), c.there)
						}
						if c.here == "" {
							require.Equal(t, ranks-1, mistakes, "all others are told")
						} else {
							require.Equal(t, ranks, mistakes, "all are told")
						}
					}
				})
			}
		}
	}
}

// TestMismatchInPassing: without checks two members find out what travels with their
// messages.
func TestMismatchInPassing(t *testing.T) {
	for _, maker := range graphWorlds {
		root, rankOf := maker.Start(t, 2, 2)
		for rank, err := range run(t, root, rankOf, func(w *Team) error {
			me := issuing(w, shared.Options{Describe: func(call uint64) string { return DescribeCall(call, nil) }})
			a := simple(Allreduce, w, 40)
			if w.Rank == 1 {
				a = simple(Alltoall, w, 40)
			}
			return errors.Join(me.graph(a), me.close())
		}) {
			require.ErrorContains(t, err, "allreduce of 40 bytes", rank)
			require.ErrorContains(t, err, "alltoall of 40 bytes", rank)
		}
	}
}

// mismatch makes the calls of a member, and returns the error of the first.
func mismatch(w *Team, most, one func(*Team) *Args, odd int) error {
	me := issuing(w, shared.Options{Check: true, Describe: func(call uint64) string { return DescribeCall(call, nil) }})
	w.Choice.Blocking[Barrier] = "tree" // of messages, as on the heap there are no boards
	w.Check, w.Guards = true, me.channel
	call := most
	if w.Rank == odd {
		call = one
	}
	err := me.graph(call(w))
	if errors.Is(err, errWrong) {
		err = nil
	}
	if _, wrong := errors.AsType[*fault.RankError](err); wrong {
		err = nil
	}
	if blocked := w.Barrier(); blocked != nil {
		return blocked
	}
	next := me.graph(simple(Alltoall, w, 10))
	if blocked := w.Barrier(); blocked != nil { // else who has left may be what others hear of
		return blocked
	}
	_ = me.close()
	if next != nil {
		return fmt.Errorf("next call: %v", next)
	}
	return err
}
