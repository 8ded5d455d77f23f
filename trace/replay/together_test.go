package replay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/sim"
	"github.com/gopvas/gopvas/trace"
)

// TestTogether: calls of two goroutines become nonblocking operations, in the order in which they began and ended.
func TestTogether(t *testing.T) {
	r := replay(t, Options{},
		[]trace.Event{ // one goroutine receives from rank 1, the other one computes, and sends to it and to this rank
			{Kind: trace.Init, Start: 0, End: 10, Peer: trace.Any},
			{Kind: trace.Send, Start: 1020, End: 1100, Peer: 1, Bytes: 8, Message: 1},
			{Kind: trace.Recv, Start: 10, End: 3000, Peer: 1, Bytes: 9, Message: 1},
			{Kind: trace.Recv, Start: 3020, End: 5000, Peer: 0, Bytes: 7, Message: 1},
			{Kind: trace.Send, Start: 4000, End: 5000, Peer: 0, Bytes: 7, Message: 1},
			{Kind: trace.Finalize, Start: 5100, End: 5110, Peer: trace.Any},
		},
		[]trace.Event{
			{Kind: trace.Recv, Start: 20, End: 2000, Peer: 0, Bytes: 8, Message: 1},
			{Kind: trace.Send, Start: 2000, End: 2050, Peer: 0, Bytes: 9, Message: 1},
		})
	require.Equal(t, []int{0}, r.Together)
	require.Equal(t, []string{
		"irecv 9 B from rank 1, tag 1", "calc 1010 ns", "isend 8 B to rank 1, tag 1", "wait", "calc 1900 ns", "wait",
		"calc 20 ns", "irecv 7 B from rank 0, tag 1", "calc 980 ns", "isend 7 B to rank 0, tag 1", "wait", "wait", "calc 100 ns",
	}, ops(r, 0))
	for _, s := range []int64{0, 1 << 20} {
		_, err := sim.Run(r.Graph, sim.Options{Machine: loggps.Single(loggps.Params{L: 5, O: 2, Sync: s, Packet: s})})
		require.NoError(t, err, "S = %d", s)
	}
}

// TestEstimatesAreNotTogether: the end of a receive that is an estimate may lie behind the start of the next call.
func TestEstimatesAreNotTogether(t *testing.T) {
	events := []trace.Event{
		{Kind: trace.Recv, Start: 0, End: 30_000, Peer: 1, Bytes: 9, Message: 1, Flags: trace.Estimated},
		{Kind: trace.Send, Start: 29_000, End: 31_000, Peer: 1, Bytes: 9, Message: 1},
	}
	require.Nil(t, findTogether(tree(events)))
	events[1].Start = 9_000 // no estimate is as wrong as that
	require.Len(t, findTogether(tree(events)), 2)
}
