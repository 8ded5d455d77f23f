package coll

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/board"
	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// inDomains are the worlds whose ranks meet in a tree.
var inDomains = []colltest.World{colltest.InDomains(colltest.Worlds[0]), colltest.InDomains(colltest.Worlds[1])}

// manyRanks are enough for a tree by number, of three levels.
const manyRanks = 23

// Calls of all kinds, short and long, of teams in any order.
func TestDomainsAgainstNaiveModel(t *testing.T) {
	for _, maker := range inDomains {
		for i, ranks := range testkit.Some(8, 4, 5, 13, 16, 21, 33) {
			inTreeAgainstNaive(t, maker, ranks, i)
		}
	}
}

// TestManyAgainstNaiveModel: likewise of members that know nothing of domains.
func TestManyAgainstNaiveModel(t *testing.T) {
	for _, maker := range colltest.Worlds[:2] {
		for i, ranks := range testkit.Some(manyRanks, 17, 70) {
			inTreeAgainstNaive(t, maker, ranks, i)
		}
	}
}

func inTreeAgainstNaive(t *testing.T, maker colltest.World, ranks, turn int) {
	seed, calls := testkit.Seed(t)+uint64(turn), 1200/ranks
	if testkit.Race || !testkit.Long() {
		calls /= 4
	}
	t.Run(fmt.Sprintf("%s/ranks=%d", maker.Name, ranks), func(t *testing.T) {
		root, rankOf := maker.Start(t, ranks, ranks)
		for rank, err := range run(t, root, rankOf, func(w *Team) error {
			if err := w.Barrier(); err != nil || w.Last() != "domains" {
				return fmt.Errorf("a barrier by %s: %w", w.Last(), err)
			}
			return try(w, seed, calls, 9<<10)
		}) {
			require.NoError(t, err, "rank %d", rank)
		}
	})
}

// TestDomainsInTurn: of the calls of each kind those that fit go by the tree, and are right.
func TestDomainsInTurn(t *testing.T) {
	seed := testkit.Seed(t)
	for i, maker := range slices.Concat(inDomains, colltest.Worlds[:2]) {
		ranks := 8
		if i >= len(inDomains) {
			ranks = manyRanks
		}
		root, rankOf := maker.Start(t, ranks, ranks)
		for rank, err := range run(t, root, rankOf, func(w *Team) error {
			for i := range 60 {
				d := newDraw(seed + uint64(i)<<32)
				x := regular(d, w.Size, w.Rank)
				if err := x.attempt(w); err != nil {
					return fmt.Errorf("%s: %w", x.text, err)
				}
			}
			for kind := Barrier; kind < kinds; kind++ {
				way := "domains"
				switch {
				case kind.rooted() && kind != Reduce, kind.chained(), kind == Reduce && ranks == manyRanks:
					way = "slot"
				}
				for _, n := range []int{4, board.RingData / ranks / ranks} {
					if err := w.Run(simple(kind, w, n)); err != nil || w.Last() != way {
						return fmt.Errorf("%v of %d bytes by %s: %w", kind, n, w.Last(), err)
					}
				}
			}
			return nil
		}) {
			require.NoError(t, err, "rank %d", rank)
		}
	}
}

// TestDomainsSameBits: the bits of a reduction depend on the data and the number of ranks, not on where these run.
func TestDomainsSameBits(t *testing.T) {
	const ranks, numbers = 8, 60
	seed := testkit.Seed(t)
	flat := colltest.Worlds[1]
	for _, kind := range []Kind{Reduce, Allreduce, ReduceScatter, Scan, Exscan} {
		for _, n := range []int{numbers, 100 * numbers} {
			var results [3][ranks][]byte
			for i, maker := range []colltest.World{flat, inDomains[1], flat} {
				root, rankOf := maker.Start(t, ranks, ranks*(2-i)+1)
				for rank, err := range run(t, root, rankOf, func(w *Team) error {
					d, a := newDraw(seed+uint64(w.Rank)), simple(kind, w, 8*n/ranks*ranks)
					if kind == ReduceScatter {
						a = simple(kind, w, 8*(n/ranks))
					}
					a.Op = colltest.Floats
					for at := 0; at < len(a.Send.Data); at += 8 {
						x := math.Ldexp(d.Float64()-0.5, d.IntN(60))
						binary.LittleEndian.PutUint64(a.Send.Data[at:], math.Float64bits(x))
					}
					err := w.Run(a)
					results[i][w.Rank] = a.Recv.Data
					return err
				}) {
					require.NoError(t, err, "rank %d", rank)
				}
			}
			for i, r := range results {
				require.Equal(t, results[0], r, "%v of %d numbers, run %d", kind, n, i)
			}
		}
	}
}

// TestDomainsMismatch: members of a tree whose calls differ all get an error, and go on.
func TestDomainsMismatch(t *testing.T) {
	const ranks = 8
	for other, a := range []func(w *Team) *Args{
		func(*Team) *Args { return &Args{Kind: Barrier} },
		func(w *Team) *Args { return simple(Allreduce, w, 99) },
		func(w *Team) *Args { return simple(Bcast, w, 100_000) },
		func(w *Team) *Args { return simple(Allreduce, w, 500) },
		func(w *Team) *Args { return simple(Alltoall, w, 4) },
	} {
		for odd := range ranks {
			root, rankOf := inDomains[1].Start(t, ranks, ranks)
			for rank, err := range run(t, root, rankOf, func(w *Team) error {
				for range 3 {
					mine := simple(Allreduce, w, 100)
					if w.Rank == odd {
						mine = a(w)
					}
					err := w.Run(mine)
					bad, ok := errors.AsType[*fault.MismatchError](err)
					if !ok || (bad.Member == odd) != (w.Rank != odd) {
						return fmt.Errorf("error is %w", err)
					}
					if err := w.Run(simple(Alltoall, w, 10)); err != nil { // all is well again
						return err
					}
				}
				return nil
			}) {
				require.NoError(t, err, "rank %d, call %d of rank %d", rank, other, odd)
			}
		}
	}
}

// inTwoDomains are the domains of ranks that are processes.
var inTwoDomains = []job.Domain{{L3: 0}, {L3: 1}, {L3: 0}, {L3: 1}}

// TestDomainsAcrossProcesses: their calls are right, and when one of them is killed in a call the others end.
func TestDomainsAcrossProcesses(t *testing.T) {
	c := job.Config{Ranks: len(inTwoDomains), BTL: job.BTLSM, CPUs: len(inTwoDomains), Domains: inTwoDomains}
	jobtest.Run(t, c, "trials", fmt.Sprintf("%s=%d", testkit.EnvSeed, testkit.Seed(t)))
	for at := range int(kinds - Barrier) {
		requireKilled(t, jobtest.Start(t, c, "until death", fmt.Sprintf("PVAS_TEST_CALL=%d", at),
			"PVAS_TEST_BYTES=200").Wait())
	}
}

// TestDomainsDeathAndPanic: of a rank, and in an operator of one.
func TestDomainsDeathAndPanic(t *testing.T) {
	for _, maker := range inDomains {
		for i := range algorithms {
			l := &algorithms[i]
			if l.name == "direct" && l.direct && !maker.Direct || l.name != "domains" && l.name != "direct" {
				continue
			}
			for _, n := range []int{100, 50_000} {
				t.Run(fmt.Sprintf("%s/%v=%s/bytes=%d", maker.Name, l.kind, l.name, n), func(t *testing.T) {
					dieInCall(t, maker, l, n, 5, false)
				})
			}
		}
	}
	for i := range algorithms {
		if l := &algorithms[i]; l.name == "domains" && l.kind.reduces() {
			panicInCall(t, inDomains[1], l)
		}
	}
}
