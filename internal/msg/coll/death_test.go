package coll

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/board"
	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// bytesOf allocates bytes whose lines nobody else uses: those of an object of 64 bytes or more are its own.
func bytesOf(n int) []byte { return make([]byte, max(n, 64))[:n:n] }

// simple is a call of each kind, with n bytes per member.
func simple(kind Kind, t *Team, n int) *Args {
	own, all := bytesOf(n), bytesOf(n*t.Size)
	a := &Args{Kind: kind, Send: Buffer{Data: own}, Recv: Buffer{Data: bytesOf(n)}}
	switch kind {
	case Gather, Allgather:
		a.Recv = Buffer{Data: all, Block: n}
	case Scatter, ReduceScatter:
		a.Send = Buffer{Data: all, Block: n}
	case Alltoall:
		a.Send, a.Recv = Buffer{Data: all, Block: n}, Buffer{Data: bytesOf(len(all)), Block: n}
	}
	if kind.reduces() {
		a.Op = sum
	}
	return a
}

// inParts is a call on parts, most of which have layouts.
func inParts(a *Args, t *Team) *Args {
	d := newDraw(uint64(t.Rank))
	a.Send = Buffer{Parts: d.parts(&a.Send, t.Size, a.Send.Block != 0)}
	a.Recv = Buffer{Parts: d.parts(&a.Recv, t.Size, a.Recv.Block != 0)}
	return a
}

// TestDeath: whatever the algorithm, when a rank has gone all others get an error that
// names it or their result, and none hangs.
func TestDeath(t *testing.T) {
	for _, maker := range colltest.Worlds {
		for i, l := range algorithms {
			if !doneBy(&l, maker) {
				continue
			}
			for _, n := range testkit.Some(50_000, 1) {
				ways := []bool{false}
				if !l.kind.reduces() && l.kind != Barrier {
					ways = append(ways, true)
				}
				for _, parts := range testkit.Turn(i, ways...) {
					t.Run(fmt.Sprintf("%s/%v=%s/bytes=%d/parts=%t", maker.Name, l.kind, l.name, n, parts),
						func(t *testing.T) { dieInCall(t, maker, &l, n, 2+i/2%2*6, parts) })
				}
			}
		}
	}
}

// doneBy tells whether an algorithm is to be tried in a world: those by messages where ranks
// have an address space of their own.
func doneBy(l *algorithm, w colltest.World) bool {
	if l.name == "domains" {
		return false // see domains_test.go
	}
	if l.levels != nil {
		return w.Name == "nodes"
	}
	if l.run == nil || l.direct {
		return (l.run != nil) == w.Direct
	}
	return w.Shared
}

func dieInCall(t *testing.T, w colltest.World, l *algorithm, n, cpus int, parts bool) {
	const ranks, dead = 5, 3
	switch l.name {
	case "flat", "domains":
		n, cpus = min(n, board.RingData/ranks/ranks), ranks
	case "slot":
		n = min(n, board.Eager)
	}
	root, rankOf := w.Start(t, ranks, cpus)
	errs := run(t, root, rankOf, func(w *Team) error {
		w.Choice.Blocking[l.kind] = l.name
		for i := 0; ; i++ {
			if w.Rank == dead && i == 2 {
				return errGone
			}
			a := simple(l.kind, w, n)
			if parts {
				a = inParts(a, w)
			}
			if err := w.Run(a); err != nil {
				return err
			}
			if err := w.Barrier(); err != nil {
				return err
			}
		}
	})
	for rank, err := range errs {
		if rank == dead {
			continue
		}
		lost, ok := errors.AsType[*fault.LostError](err)
		require.True(t, ok, "rank %d: %v", rank, err)
		require.Equal(t, dead, lost.Rank, "rank %d", rank)
	}
}

// untilDeath makes calls of all kinds until a rank kills itself in one of them.
func untilDeath(w *Team) error {
	at, err := strconv.Atoi(os.Getenv("PVAS_TEST_CALL"))
	if err != nil {
		return err
	}
	most := 3000
	if w.Job.CPUs() >= w.Size {
		most = 200_000 // some algorithms of such members are for long vectors
	}
	if n, err := strconv.Atoi(os.Getenv("PVAS_TEST_BYTES")); err == nil {
		most = n
	}
	for i := 0; ; i++ {
		if i == at && w.Rank == 1 {
			go func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }()
		}
		kind := Barrier + Kind(i%int(kinds-Barrier))
		if err := w.Run(simple(kind, w, most)); err != nil {
			lost, ok := errors.AsType[*fault.LostError](err)
			if !ok {
				return err
			}
			fmt.Print(lost.Rank)
			return nil
		}
	}
}

// TestKilledInACall: real processes, one of which is killed.
func TestKilledInACall(t *testing.T) {
	for i, at := range []int{0, 4, 9, 2, 3, 4} {
		requireKilled(t, jobtest.Start(t, job.Config{Ranks: 4, BTL: job.BTLSM, CPUs: 2 + i/3*2},
			"until death", fmt.Sprintf("PVAS_TEST_CALL=%d", at)).Wait())
	}
}

// requireKilled: rank 1 was killed, and the others have seen it.
func requireKilled(t *testing.T, exits []jobtest.Exit) {
	for rank, e := range exits {
		if rank == 1 {
			require.Equal(t, syscall.SIGKILL, e.Signal)
			continue
		}
		// Who has left because of rank 1 may be named by those who waited for it.
		require.Zero(t, e.Code, "rank %d: %s", rank, e.Stderr)
		require.NotEmpty(t, e.Stdout, "rank %d", rank)
	}
}

// TestPanickingOperator: all ranks get an error that names the rank, or their result.
func TestPanickingOperator(t *testing.T) {
	for _, maker := range colltest.Worlds {
		for _, l := range algorithms {
			if !doneBy(&l, maker) || !l.kind.reduces() {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v=%s", maker.Name, l.kind, l.name), func(t *testing.T) {
				panicInCall(t, maker, &l)
			})
		}
	}
}

func panicInCall(t *testing.T, w colltest.World, l *algorithm) {
	const ranks = 5
	n, cpus := 100_000, 2
	switch l.name {
	case "flat":
		n, cpus = board.RingData/ranks, ranks
	case "slot":
		n, cpus = board.Eager, ranks
	case "domains":
		n, cpus = board.RingData/ranks/ranks, ranks
	}
	root, rankOf := w.Start(t, ranks, cpus)
	bad := &Op{Size: 1, Commutative: true, Apply: func(inout, in []byte) { panic("no such sum") }}
	var mu sync.Mutex
	panicked := map[int]bool{}
	failed := 0
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		w.Choice.Blocking[l.kind], w.Choice.Reproducible = l.name, false // so that levels fits
		a := simple(l.kind, w, n)
		a.Op = bad
		err := w.Run(a)
		if w.Last() != l.name {
			return fmt.Errorf("done by %s", w.Last())
		}
		if e, ok := errors.AsType[*fault.OperatorError](err); ok {
			mu.Lock()
			failed++
			panicked[e.Rank] = true
			mu.Unlock()
			if e.Value != "no such sum" {
				return fmt.Errorf("value %v", e.Value)
			}
		} else if err != nil {
			return err
		}
		if err := w.Barrier(); err != nil { // all is well again
			return err
		}
		return w.Run(simple(l.kind, w, 1000))
	}) {
		require.NoError(t, err, "rank %d", rank)
	}
	require.NotZero(t, failed)
	if l.run != nil && !l.ahead && l.name != "flat" && l.name != "domains" || l.kind == Allreduce {
		require.Equal(t, ranks, failed, "all depend on the operator")
	}
}

// TestMismatch: ranks that do not call the same are told so.
func TestMismatch(t *testing.T) {
	cases := []struct {
		name, here, there string
		other             func(w *Team) *Args
	}{
		{"kind", "bcast of 100 bytes", "barrier", func(w *Team) *Args { return &Args{Kind: Barrier} }},
		{"length", "100 bytes", "99 bytes", func(w *Team) *Args { return simple(Bcast, w, 99) }},
		{"length and algorithm", "100 bytes", "100000 bytes", func(w *Team) *Args { return simple(Bcast, w, 100_000) }},
		{"root", "root 0", "root 1", func(w *Team) *Args { a := simple(Bcast, w, 100); a.Root = 1; return a }},
	}
	for _, maker := range colltest.Worlds {
		for i, c := range slices.Concat(cases, cases) {
			cpus := 2 + i/len(cases)*6
			t.Run(fmt.Sprintf("%s/%s/cpus=%d", maker.Name, c.name, cpus), func(t *testing.T) {
				root, rankOf := maker.Start(t, 4, cpus)
				for rank, err := range run(t, root, rankOf, func(w *Team) error {
					w.Check = true // the root goes on
					a := simple(Bcast, w, 100)
					if w.Rank == 2 {
						a = c.other(w)
					}
					err := w.Run(a)
					bad, ok := errors.AsType[*fault.MismatchError](err)
					if !ok || (bad.Member == 2) != (w.Rank != 2) || !strings.Contains(bad.Detail, c.here) ||
						!strings.Contains(bad.Detail, c.there) {
						return fmt.Errorf("error is %w", err)
					}
					return w.Run(simple(Alltoall, w, 10)) // all is well again
				}) {
					require.NoError(t, err, "rank %d", rank)
				}
			})
		}
	}
}

// TestLengthsOfBlocks: in the v forms only the two ends of a block can compare.
func TestLengthsOfBlocks(t *testing.T) {
	for _, maker := range colltest.Worlds {
		root, rankOf := maker.Start(t, 3, 2)
		some := 0
		var mu sync.Mutex
		for _, err := range run(t, root, rankOf, func(w *Team) error {
			send, recv := make([]byte, 3000), make([]byte, 3000)
			counts, displs := []int{1000, 1000, 1000}, []int{0, 1000, 2000}
			other := []int{1000, 1000, 1000}
			if w.Rank == 1 {
				other[2] = 999
			}
			err := w.Run(&Args{Kind: Alltoall, Irregular: true,
				Send: Buffer{Data: send, Counts: other, Displs: displs, Unit: 1},
				Recv: Buffer{Data: recv, Counts: counts, Displs: displs, Unit: 1}})
			if bad, ok := errors.AsType[*fault.MismatchError](err); ok && bad.Member == 1 {
				mu.Lock()
				some++
				mu.Unlock()
				err = nil
			}
			return err
		}) {
			require.NoError(t, err)
		}
		require.NotZero(t, some)
	}
}

// TestTwoTeamsAtOnce: two goroutines of each rank, each with a team of its own.
func TestTwoTeamsAtOnce(t *testing.T) {
	for _, maker := range colltest.Worlds {
		for _, ranks := range []int{2, 5} {
			t.Run(fmt.Sprintf("%s/ranks=%d", maker.Name, ranks), func(t *testing.T) {
				root, rankOf := maker.Start(t, ranks, 2)
				for rank, err := range run(t, root, rankOf, func(w *Team) error {
					other := &Team{Engine: w.Engine, Job: w.Job, Context: 13, Inner: 14, Rank: w.Rank, Size: w.Size}
					var wg sync.WaitGroup
					errs := make([]error, 2)
					for i, team := range []*Team{w, other} {
						wg.Go(func() { errs[i] = many(team, uint64(i)) })
					}
					wg.Wait()
					return errors.Join(errs...)
				}) {
					require.NoError(t, err, "rank %d", rank)
				}
			})
		}
	}
}

func many(t *Team, seed uint64) error {
	t.Choice.Reproducible = true
	for i := range 100 {
		d := newDraw(seed<<40 + uint64(i))
		kind := Barrier + Kind(d.IntN(int(kinds-Barrier)))
		if err := plot(d, kind, t.Size, t.Rank, 20_000).attempt(t); err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
	}
	return nil
}
