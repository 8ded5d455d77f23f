package shared

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/mpi/fault"
)

// TestCalls: what the owner is to call is called once per issue, before and after all
// other nodes, whoever executes those.
func TestCalls(t *testing.T) {
	bothWays(t, func(t *testing.T, direct bool) {
		for _, policy := range []cad.Policy{cad.Owner, cad.Share} {
			root, all := start(t, 3, direct, Options{Policy: policy})
			eachRank(t, root, all, func(r rank) error {
				out, in := make([]byte, 2*inlineBytes), make([]byte, 2*inlineBytes)
				issues, got := 0, []byte{}
				g := cad.NewGraph()
				first := g.Call(func() { issues++; fill(out, byte(10*r.rank+issues)) })
				g.Connect(first, g.Send(out, (r.rank+1)%3))
				g.Connect(first, g.Recv(in, (r.rank+2)%3))
				g.CallLast(func() { got = append(got, in[0], in[len(in)-1]); clear(out); clear(in) })
				g.Tie()
				request, err := r.Prepare(r.world, g)
				for i := 1; err == nil && i <= 50; i++ {
					if err = request.Start(); err == nil {
						_, err = request.Wait()
					}
					want := byte(10*((r.rank+2)%3) + i)
					if last := len(got) - 2; err == nil &&
						(len(got) != 2*i || got[last] != want || got[last+1] != want) {
						err = fmt.Errorf("issue %d: rank %d got %v, not %d", i, r.rank, got, want)
					}
				}
				return err
			})
		}
	})
}

func fill(buf []byte, with byte) {
	for i := range buf {
		buf[i] = with
	}
}

// TestCallsAfterFaults: what depends on data that are spoilt is not called, and what
// panics spoils.
func TestCallsAfterFaults(t *testing.T) {
	bothWays(t, func(t *testing.T, direct bool) {
		root, all := start(t, 2, direct, Options{})
		eachRank(t, root, all, func(r rank) error {
			g, called := cad.NewGraph(), false
			if r.rank == 0 {
				g.Connect(g.Call(func() { panic("of this call") }), g.Send(nil, 1))
			} else {
				g.Recv(nil, 0)
			}
			g.CallLast(func() { called = true })
			g.Tie()
			op, ok := errors.AsType[*fault.OperatorError](r.do(g))
			if !ok || op.Rank != 0 || called {
				return fmt.Errorf("rank %d: error %v, called %v", r.rank, op, called)
			}
			return nil
		})
	})
}

// TestCallOfNothingElse: a graph of one call.
func TestCallOfNothingElse(t *testing.T) {
	root, all := start(t, 1, true, Options{})
	called := false
	eachRank(t, root, all, func(r rank) error {
		g := cad.NewGraph()
		g.CallLast(func() { called = true })
		g.Tie()
		return r.do(g)
	})
	require.True(t, called)
}

// TestCallsOfGraphsThatWereGivenUp: after the wait has failed nothing is called, though all
// that the call was to wait for comes to its end.
func TestCallsOfGraphsThatWereGivenUp(t *testing.T) {
	_, all := start(t, 2, true, Options{})
	owner, peer := all[0], all[1]
	received, called := make([]byte, 1), false
	g := cad.NewGraph()
	g.Recv(received, 1)
	g.CallLast(func() { called = true })
	g.Tie()
	request, err := owner.Issue(owner.world, g)
	require.NoError(t, err)
	owner.breakAt(0, owner.world.Context, cad.About(cad.Pairs, 1))
	_, err = request.Wait()
	var mismatch *fault.MismatchError
	require.ErrorAs(t, err, &mismatch)
	late := cad.NewGraph()
	late.Send([]byte{1}, 0)
	late.Tie()
	_, err = peer.Issue(peer.world, late)
	require.NoError(t, err)
	require.True(t, owner.Help())
	require.Equal(t, []byte{1}, received)
	require.False(t, called)
}
