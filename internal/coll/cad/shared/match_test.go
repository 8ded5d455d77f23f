package shared

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/coll/cad"
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
