package coll

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/coll/colltest"
	"github.com/gopvas/gopvas/mpi/fault"
)

// TestPacked: blocks of any lengths arrive, also if those of some members do not fit into a
// page, and in place.
func TestPacked(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const ranks, calls = 4, 200
	root, rankOf := colltest.Worlds[1].Start(t, ranks, ranks)
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		same := rand.New(rand.NewPCG(seed, 1))
		for call := range calls {
			longest := []int{0, 10, 900, 2 * pageData}[call%4]
			a, want := tableCall(same, w, longest, call%7 == 0)
			if err := w.Run(a); err != nil {
				return err
			}
			if w.Last() != "packed" || !slices.Equal(a.Recv.Data, want) {
				return fmt.Errorf("call %d by %s, up to %d bytes: got other bytes than were sent",
					call, w.Last(), longest)
			}
		}
		return nil
	}) {
		require.NoError(t, err, "rank %d", rank)
	}
}

// tableCall returns a call and what this member is to receive by it. A random table says how
// many bytes member i sends member j. In place, the table is symmetric.
func tableCall(same *rand.Rand, w *Team, longest int, inPlace bool) (*Args, []byte) {
	table := make([][]int, w.Size)
	for i := range table {
		for j := range w.Size {
			n := same.IntN(longest + 1)
			if inPlace && j < i {
				n = table[j][i]
			}
			table[i] = append(table[i], n)
		}
	}
	byteOf := func(from, to int) byte { return byte(16*from + to + 1) }
	a := &Args{Kind: Alltoall, Irregular: true, InPlace: inPlace}
	var want []byte
	for i := range w.Size {
		out, in := table[w.Rank][i], table[i][w.Rank]
		a.Send.Counts, a.Send.Displs = append(a.Send.Counts, out), append(a.Send.Displs, len(a.Send.Data))
		a.Recv.Counts, a.Recv.Displs = append(a.Recv.Counts, in), append(a.Recv.Displs, len(want))
		a.Send.Data = append(a.Send.Data, slices.Repeat([]byte{byteOf(w.Rank, i)}, out)...)
		want = append(want, slices.Repeat([]byte{byteOf(i, w.Rank)}, in)...)
	}
	a.Send.Unit, a.Recv.Unit = 1, 1
	if a.Recv.Data = make([]byte, len(want)); inPlace {
		a.Recv.Data, a.Send = a.Send.Data, Buffer{}
	}
	return a, want
}

// TestPackedLengths: if one member wants more than another sends it, these two are told and named, and
// the next call is right.
func TestPackedLengths(t *testing.T) {
	root, rankOf := colltest.Worlds[1].Start(t, 3, 3)
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		same := rand.New(rand.NewPCG(1, 1))
		for range 3 {
			a, _ := tableCall(same, w, 50, false)
			if w.Rank == 2 {
				a.Recv.Counts[0]++
				a.Recv.Data = append(a.Recv.Data, make([]byte, 100)...)
			}
			err := w.Run(a)
			lengths, ok := errors.AsType[*fault.LengthError](err)
			switch {
			case w.Rank == 1 && err != nil:
				return fmt.Errorf("it has no part in it: %w", err)
			case w.Rank != 1 &&
				(!ok || lengths.Sender != 0 || lengths.Receiver != 2 || lengths.Expected != lengths.Sent+1):
				return fmt.Errorf("lengths that differ: %w", err)
			}
			a, want := tableCall(same, w, 50, false)
			if w.Run(a) != nil || !slices.Equal(a.Recv.Data, want) {
				return errors.New("the next call went wrong")
			}
		}
		return nil
	}) {
		require.NoError(t, err, "rank %d", rank)
	}
}
