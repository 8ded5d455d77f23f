//go:build caches

package coll

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// The computer of these tests has a rank on each core, 4 cores in a domain and 2 domains on a node.
const (
	coresOfDomain  = 4
	domainsOfNode  = 2
	countedCalls   = 10
	uncountedCalls = 2 // that bring the lines to where each call leaves them
)

func places(ranks int) (all []line.Place) {
	for rank := range ranks {
		domain := rank / coresOfDomain
		all = append(all, line.Place{Domain: domain, Node: domain / domainsOfNode})
	}
	return all
}

// linesOf are the lines of a call by some algorithm, the mean of several calls in a row. The program writes what it
// sends before each call, and reads what it has received.
type linesOf struct {
	line.Count
	algorithm string
}

func (l linesOf) String() string {
	mean := func(n int) float64 { return float64(n) / countedCalls }
	return fmt.Sprintf("%-7s %8.1f cross domains, %8.1f of them nodes; %7.1f writes take copies away; %8.1f within",
		l.algorithm, mean(l.Crossed), mean(l.Nodes), mean(l.Invalidated), mean(l.Within))
}

// countLines counts the lines of a call of n bytes.
func countLines(t *testing.T, m *line.Machine, kind Kind, ranks, n int, bound bool) (l linesOf) {
	world := colltest.InOneSpace("one space", job.Settings{Spin: 1 << 20}) // nobody sleeps
	root, rankOf := world.Start(t, ranks, ranks)
	if bound { // else the ranks do not know where they run
		var domains []job.Domain
		for _, p := range places(ranks) {
			domains = append(domains, job.Domain{L3: p.Domain, NUMA: p.Node})
		}
		root.SetDomains(0, domains)
	}
	start, end := make(chan bool), make(chan bool)
	calls := make([]func(times int) error, ranks)
	errs := make([]error, ranks)
	go func() {
		<-start
		for _, times := range []int{uncountedCalls, countedCalls} {
			m.Count = line.Count{}
			m.Run(func(core int) {
				if errs[core] == nil {
					errs[core] = calls[core](times)
				}
			})
		}
		close(end)
	}()
	ready := make(chan bool, ranks)
	go func() {
		for range ranks {
			<-ready
		}
		close(start)
	}()
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		a := simple(kind, w, n)
		calls[w.Rank] = func(times int) error {
			for range times {
				line.WritesBytes(a.Send.Data)
				if err := w.Run(a); err != nil {
					return err
				}
				line.ReadsBytes(a.Recv.Data)
			}
			return nil
		}
		err := errors.Join(w.Barrier(), calls[w.Rank](1)) // the barrier makes the board
		ready <- true
		<-end
		if w.Rank == 0 {
			l.algorithm = w.Last()
		}
		return err
	}) {
		require.NoError(t, err, "rank %d", rank)
		require.NoError(t, errs[rank], "rank %d", rank)
	}
	l.Count = m.Count
	return l
}

// TestLinesOfCalls reports how many lines cross the domains of the computer in a call. If the members know where they
// run, what those of a domain want crosses once: three lines of a short call, and each line of a long broadcast. Two
// members of a domain that read a line at the same time both take it across: that may double the lines of a broadcast.
func TestLinesOfCalls(t *testing.T) {
	seed := testkit.Seed(t)
	for _, ranks := range []int{16, 32} {
		others := ranks/coresOfDomain - 1
		for _, c := range []struct {
			kind    Kind
			n, most int
		}{ // most: lines; 0: no matter
			{Barrier, 0, 3 * others}, {Bcast, 8, 3 * others}, {Reduce, 8, 3 * others}, {Allreduce, 8, 3 * others},
			{Allgather, 8, 0}, {Alltoall, 8, 0},
			{Bcast, 64 << 10, others * (64 << 10) / lineSize * 2}, {Allreduce, 64 << 10, 0},
		} {
			var all [2]linesOf
			for i, bound := range []bool{false, true} {
				all[i] = countLines(t, line.NewMachine(seed, places(ranks)), c.kind, ranks, c.n, bound)
				t.Logf("%2d ranks, %-9v %6d B: %v", ranks, c.kind, c.n, all[i])
			}
			slotted := all[0].algorithm == "slot" // what is read there by several crosses once, too
			require.True(t, slotted || all[1].Crossed < all[0].Crossed)
			if c.most > 0 {
				require.LessOrEqual(t, all[1].Crossed, c.most*countedCalls)
			}
			if c.most > 0 && !slotted {
				require.Greater(t, all[0].Crossed, c.most*countedCalls)
			}
		}
	}
}

// TestTimeOfMany reports how long a call of members that know nothing of domains takes, in moves of a line from core to
// core: see the model in board/tree.go. At one counter it would be about two for each member.
func TestTimeOfMany(t *testing.T) {
	for _, c := range []struct {
		kind           Kind
		ranks, n, most int
	}{
		{Barrier, 16, 0, 20}, {Barrier, 32, 0, 32}, {Barrier, 64, 0, 36},
		{Allreduce, 64, 8, 48}, {Alltoall, 64, 8, 200},
	} {
		m := line.NewMachine(testkit.Seed(t), make([]line.Place, c.ranks))
		m.Timed = true
		l := countLines(t, m, c.kind, c.ranks, c.n, false)
		moves := float64(l.Time) / line.Move / countedCalls
		t.Logf("%d ranks, %v of %d B by %s: the time of %.1f moves", c.ranks, c.kind, c.n, l.algorithm, moves)
		require.LessOrEqual(t, moves, float64(c.most))
	}
}
