package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
)

// exchanged simulates two ranks that send to each other, rank 1 late ns after rank 0, and returns
// when they are done.
func exchanged(t *testing.T, crossing float64, bytes, late int64) []float64 {
	t.Helper()
	b := graph.NewBuilder(2)
	for rank := range 2 {
		c := b.Calls(rank)
		if rank == 1 && late > 0 {
			c.Calc(late)
		}
		in := c.Irecv(bytes, 1-rank)
		c.Send(bytes, 1-rank)
		c.Wait(in)
	}
	g, err := b.Graph()
	require.NoError(t, err)
	p := loggps.Params{L: 1000, O: 100, Packet: 1 << 20, Sync: 100}
	p.Residual = &loggps.Residual{Sync: p.Sync,
		Points: []loggps.ResidualPoint{{Bytes: 0, Crossing: crossing}, {Bytes: 1000, Crossing: 2 * crossing}}}
	require.NoError(t, p.Validate())
	r, err := Run(g, Options{Machine: loggps.Single(p), Record: true})
	require.NoError(t, err)
	for rank := range 2 {
		path, err := r.Path(rank)
		require.NoError(t, err)
		assert.InDelta(t, r.Finish[rank], path[len(path)-1].To, 1e-6, "the critical path is as long as the rank")
	}
	return r.Finish
}

// TestCrossing: messages that are on their way together take longer, those that are not do not.
func TestCrossing(t *testing.T) {
	for _, bytes := range []int64{10, 1000} {
		plain, longer := exchanged(t, 0, bytes, 0), 500.0
		if bytes > 100 {
			longer = 1000
		}
		for rank, finish := range exchanged(t, 500, bytes, 0) {
			assert.InDelta(t, plain[rank]+longer, finish, 1e-6, "%d bytes", bytes)
		}
	}
	assert.Equal(t, exchanged(t, 0, 10, 5000), exchanged(t, 500, 10, 5000), "one after the other")
	for rank, plain := range exchanged(t, 0, 10, 550) {
		assert.InDelta(t, plain+250, exchanged(t, 500, 10, 550)[rank], 1e-6, "half of the way together")
	}
}
