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

// TestTypesThatDiffer: all members give the same call the same number of bytes, two of them give
// other types, and the rest do not say which. All members are told both types, blocking and
// nonblocking, and the next call works.
func TestTypesThatDiffer(t *testing.T) {
	for _, maker := range graphWorlds {
		for ranks := 2; ranks <= 6; ranks++ {
			if testkit.Race && ranks != 5 {
				continue // the fewest in which two members are never compared with one another
			}
			t.Run(fmt.Sprintf("%s/ranks=%d", maker.Name, ranks), func(t *testing.T) {
				for distance := 1; distance < ranks; distance++ {
					root, rankOf := maker.Start(t, ranks, 2)
					for rank, err := range run(t, root, rankOf, func(w *Team) error {
						return typesDiffer(w, distance)
					}) {
						require.NoError(t, err, "rank %d", rank)
					}
				}
			})
		}
	}
}

func typesDiffer(w *Team, distance int) error {
	me := issuing(w, shared.Options{Check: true, Describe: func(call uint64) string { return DescribeCall(call, nil) }})
	w.Choice.Blocking[Barrier] = "tree" // of messages, as on the heap there are no boards
	w.Choice.Blocking[Allgather] = "ring"
	w.Check = true
	of := map[int]datatype.Element{0: datatype.ElementFloat64, distance: datatype.ElementInt32}
	call := func() *Args {
		a := simple(Allgather, w, 8)
		a.Send.Of = of[w.Rank]
		return a
	}
	for _, do := range []func(*Args) error{me.graph, w.Run} {
		err := do(call())
		types, ok := errors.AsType[*fault.ElementError](err)
		if !ok || types.Sent != of[0] && types.Received != of[0] ||
			types.Sent != of[distance] && types.Received != of[distance] {
			return fmt.Errorf("error is %v", err)
		}
		if _, ok := errors.AsType[*fault.MismatchError](err); !ok {
			return fmt.Errorf("error is %v", err)
		}
	}
	of[distance] = datatype.ElementComplex128
	for _, do := range []func(*Args) error{me.graph, w.Run} {
		for range 2 { // the second time by the same graph
			if err := do(call()); err != nil {
				return err
			}
		}
	}
	if err := w.Barrier(); err != nil { // else who has left may be what others hear of
		return err
	}
	return me.close()
}

// TestTypesOfOneMemberDiffer: it gets the error, and the others learn that there is one when it goes on.
func TestTypesOfOneMemberDiffer(t *testing.T) {
	root, rankOf := graphWorlds[1].Start(t, 3, 2)
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		w.Check = true
		a := simple(Allgather, w, 8)
		a.Send.Of, a.Recv.Of = datatype.ElementFloat64, datatype.ElementFloat64
		if w.Rank == 1 {
			a.Recv.Of = datatype.ElementInt32
		}
		return errors.Join(w.Run(a), w.Barrier())
	}) {
		if rank == 1 {
			require.ErrorContains(t, err,
				"8-byte floating-point numbers were sent, and are received as 4-byte integers")
		} else {
			require.ErrorContains(t, err, "rank 1 has passed wrong arguments")
		}
	}
}
