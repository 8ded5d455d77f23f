package shared

import (
	"errors"
	"fmt"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/mpi/fault"
)

// A graph that is complete and that nothing stands for any more has given its memory
// away, though its place still says which issue it was: what lies in that memory now is
// not taken for its nodes.
func TestPortsOfACompleteGraph(t *testing.T) {
	_, all := start(t, 1, true, Options{})
	r := all[0]
	g := cad.NewGraph()
	g.Send(nil, 0)
	g.Recv(nil, 0)
	g.Tie()
	request, err := r.Issue(r.world, g)
	require.NoError(t, err)
	p := r.mine.Load()
	shared := &p.graphs[maxGraphs-1]
	for slot := range p.graphs {
		if p.graphs[slot].issue.Load() != 0 {
			shared = &p.graphs[slot]
		}
	}
	issue := shared.issue.Load()
	_, err = request.Wait()
	require.NoError(t, err)
	require.Equal(t, issue, shared.issue.Load())
	_, _, ok := shared.ports(issue, cad.Send, 0)
	require.False(t, ok)
}

// TestRowThatNothingMeets: a rank sends many messages one after the other, and the other one receives the first alone.
// How many there are is no matter of the stack.
func TestRowThatNothingMeets(t *testing.T) {
	const row = 100_000
	defer debug.SetMaxStack(debug.SetMaxStack(4 << 20))
	root, all := start(t, 2, true, Options{})
	eachRank(t, root, all, func(r rank) error {
		g := cad.NewGraph()
		if r.rank == 1 {
			g.Recv(nil, 0)
		} else {
			last := g.Send(nil, 1)
			for range row {
				next := g.Send(nil, 1)
				g.Connect(last, next)
				last = next
			}
		}
		g.Tie()
		var mismatch *fault.MismatchError
		if err := r.do(g); !errors.As(err, &mismatch) {
			return fmt.Errorf("rank %d: got %v", r.rank, err)
		}
		return nil
	})
}
