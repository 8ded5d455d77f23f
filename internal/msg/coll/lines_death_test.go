//go:build caches

package coll

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// TestLinesOfDead: a rank may die at any of its uses of shared lines. In that call and in the next ones all others get
// their results, or an error that names it, and none hangs.
func TestLinesOfDead(t *testing.T) {
	seed := testkit.Seed(t)
	short, long := 5, 25 // steps: units are many
	if testkit.Long() {
		short, long = 1, 9
	}
	for _, c := range []struct {
		kind    Kind
		n, step int
	}{
		{Barrier, 0, short}, {Allreduce, 8, short}, {Alltoall, 8, short}, {Reduce, 8, short},
		{Bcast, 8, 1}, {Scatter, 8, 1}, {Gather, 8, 1}, {Scan, 8, 1}, {Exscan, 20 << 10, 1}, // by slots, in few steps
		{Bcast, 20 << 10, long}, {Allreduce, 20 << 10, long},
	} {
		for _, victim := range []int{0, 1, 2, 5} { // the first of all, of a domain, of none, of a node
			dieOften(t, colltest.InDomains(oneSpace), 8, &mortal{seed, c.kind, c.n, victim}, c.step)
		}
	}
	for _, kind := range []Kind{Barrier, Allreduce, Alltoall} {
		for _, victim := range []int{0, 1, 5} { // the first, one with a parent and children, one without
			dieOften(t, oneSpace, manyRanks, &mortal{seed, kind, 8, victim}, 5*short)
		}
	}
}

// oneSpace is a world whose ranks know nothing of domains.
var oneSpace = colltest.InOneSpace("one space", job.Settings{Spin: testkit.Spin})

// mortal is a rank that dies in a call.
type mortal struct {
	seed   uint64
	kind   Kind
	n      int
	victim int
}

// dieOften has it die at each of so many of its uses of lines.
func dieOften(t *testing.T, w colltest.World, ranks int, c *mortal, step int) {
	deaths := 0
	for at := 1; dieAt(t, w, ranks, c, at); at += step {
		deaths++
	}
	t.Logf("%v of %d bytes, rank %d of %d: %d deaths", c.kind, c.n, c.victim, ranks, deaths)
	require.Positive(t, deaths)
}

// dieAt makes two calls in which a rank dies when it uses a line for the at-th time. It tells whether it has died.
func dieAt(t *testing.T, world colltest.World, ranks int, c *mortal, at int) bool {
	kind, n, victim := c.kind, c.n, c.victim
	m := line.NewMachine(c.seed+uint64(at), places(ranks))
	root, rankOf := world.Start(t, ranks, ranks)
	m.Kill(victim, at, func() { root.MarkGone(victim) })
	ready, end := make(chan bool, ranks), make(chan bool)
	teams, errs := make([]*Team, ranks), make([]error, ranks)
	go func() {
		for range ranks {
			<-ready
		}
		m.Run(func(core int) {
			w := teams[core]
			err := errors.Join(w.Run(simple(kind, w, n)), w.Run(simple(kind, w, n)))
			if m.Killed() && err == nil { // then at the latest
				if err = w.Barrier(); err == nil {
					err = errors.New("a barrier without all members")
				}
			}
			errs[core] = err
		})
		close(end)
	}()
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		err := errors.Join(w.Barrier(), w.Run(simple(kind, w, n))) // the barrier makes the board
		teams[w.Rank] = w
		ready <- true
		if <-end; err == nil {
			err = errs[w.Rank]
		}
		if w.Rank == victim && m.Killed() {
			return errGone
		}
		return err
	}) {
		switch lost, ok := errors.AsType[*fault.LostError](err); {
		case rank == victim && m.Killed():
		case m.Killed():
			require.True(t, err == nil || ok && lost.Rank == victim, "rank %d: %v", rank, err)
		default:
			require.NoError(t, err, "rank %d", rank)
		}
	}
	return m.Killed()
}
