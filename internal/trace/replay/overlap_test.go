package replay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/sim"
	"github.com/gopvas/gopvas/trace"
)

// overlapped is rank 0 with a goroutine that receives from rank 1, while another one computes, and sends to rank 1,
// until a time, and then to rank 0 itself; and rank 1, which receives at 2000.
func overlapped(sent int64) [][]trace.Event {
	return [][]trace.Event{
		{
			{Kind: trace.Init, Start: 0, End: 10, Peer: trace.Any},
			{Kind: trace.Send, Start: 1020, End: sent, Peer: 1, Bytes: 8, Message: 1},
			{Kind: trace.Recv, Start: 10, End: 3000, Peer: 1, Bytes: 9, Message: 1},
			{Kind: trace.Recv, Start: 3020, End: 5000, Peer: 0, Bytes: 7, Message: 1},
			{Kind: trace.Send, Start: 4000, End: 5000, Peer: 0, Bytes: 7, Message: 1},
			{Kind: trace.Finalize, Start: 5100, End: 5110, Peer: trace.Any},
		},
		{
			{Kind: trace.Recv, Start: 20, End: 2000, Peer: 0, Bytes: 8, Message: 1},
			{Kind: trace.Send, Start: 2000, End: 2050, Peer: 0, Bytes: 9, Message: 1},
		},
	}
}

// runs simulates a graph with and without buffers.
func runs(t *testing.T, r *Replay) {
	t.Helper()
	for _, synchronous := range []bool{false, true} {
		_, err := sim.Run(r.Graph,
			sim.Options{Machine: loggps.Single(loggps.Params{L: 5, O: 2, Sync: 1 << 20, Packet: 1 << 20}),
				Synchronous: synchronous})
		require.NoError(t, err, "synchronous: %v", synchronous)
	}
}

// TestOverlaps: calls of two goroutines become nonblocking operations, in the order in which they began and ended.
func TestOverlaps(t *testing.T) {
	r := replay(t, Options{}, overlapped(2000)...)
	require.Equal(t, []int{0}, r.Overlapping)
	require.Equal(t, []string{
		"irecv 9 B from rank 1, tag 1", "calc 1010 ns", "isend 8 B to rank 1, tag 1", "wait", "calc 1000 ns", "wait",
		"calc 20 ns", "irecv 7 B from rank 0, tag 1", "calc 980 ns", "isend 7 B to rank 0, tag 1",
		"wait", "wait", "calc 100 ns",
	}, ops(r, 0))
	runs(t, r)
}

// TestNobodyWaitsForEagerSends where calls overlap: who did not wait in the job does not deadlock.
func TestNobodyWaitsForEagerSends(t *testing.T) {
	r := replay(t, Options{}, overlapped(1100)...)
	require.Equal(t, []string{
		"irecv 9 B from rank 1, tag 1", "calc 1010 ns", "isend 8 B to rank 1, tag 1", "calc 1900 ns", "wait",
		"calc 20 ns", "irecv 7 B from rank 0, tag 1", "calc 980 ns", "isend 7 B to rank 0, tag 1", "wait",
		"wait", "calc 100 ns", "wait",
	}, ops(r, 0))
	require.Equal(t, []string{"recv 8 B from rank 0, tag 1", "isend 9 B to rank 0, tag 1", "wait"}, ops(r, 1))
	runs(t, r)
}

// TestWithinOverlaps: steps of a nonblocking collective, and results that another goroutine takes, in the time of a
// receive.
func TestWithinOverlaps(t *testing.T) {
	r := replay(t, Options{},
		[]trace.Event{
			{Kind: trace.Begin, Start: 20, End: 30, Request: 5, Peer: trace.Any},
			{Kind: trace.Irecv, Start: 30, End: 35, Request: 1, Peer: 1},
			{Kind: trace.Received, Start: 500, End: 500, Peer: 1, Bytes: 3, Message: 2, Request: 1},
			{Kind: trace.Taken, Start: 500, End: 500, Request: 1},
			{Kind: trace.Sent, Start: 700, End: 700, Peer: 1, Bytes: 8, Message: 1, Flags: trace.Inside},
			{Kind: trace.Recv, Start: 40, End: 1000, Peer: 1, Bytes: 9, Message: 1},
			{Kind: trace.WaitAll, Start: 50, End: 1200, Request: 1, Peer: trace.Any},
		},
		[]trace.Event{
			{Kind: trace.Send, Start: 20, End: 30, Peer: 0, Bytes: 9, Message: 1},
			{Kind: trace.Send, Start: 30, End: 40, Peer: 0, Bytes: 3, Message: 2},
			{Kind: trace.Received, Start: 800, End: 800, Peer: 0, Bytes: 8, Message: 1, Flags: trace.Inside},
		})
	require.Equal(t, []string{
		"irecv 3 B from rank 1, tag 2", "calc 5 ns", "irecv 9 B from rank 1, tag 1", "calc 10 ns",
		"wait", "isend 8 B to rank 1, tag 1", "wait", "calc 200 ns", "wait",
	}, ops(r, 0))
	runs(t, r)
}

// TestCollectivesOverlap: two goroutines of each rank are in collective calls, which end in another order on each of
// the ranks.
func TestCollectivesOverlap(t *testing.T) {
	for k := trace.Barrier; k < trace.Neighbor; k++ {
		call := func(start, end int64, context uint32) trace.Event {
			return trace.Event{Kind: k, Start: start, End: end, Context: context, Request: 1, Bytes: 8}
		}
		first, second := call(10, 100, 1), call(20, 90, 2)
		later, sooner := call(15, 80, 1), call(25, 110, 2)
		r := replay(t, Options{}, []trace.Event{second, first}, []trace.Event{later, sooner},
			[]trace.Event{call(30, 40, 1), call(50, 60, 2)})
		require.Equal(t, []int{0, 1}, r.Overlapping, k)
		runs(t, r)
	}
}

// TestEstimatesDoNotOverlap: the end of a receive that is an estimate may lie behind the start of the next call.
func TestEstimatesDoNotOverlap(t *testing.T) {
	events := []trace.Event{
		{Kind: trace.Recv, Start: 0, End: 30_000, Peer: 1, Bytes: 9, Message: 1, Flags: trace.Estimated},
		{Kind: trace.Send, Start: 29_000, End: 31_000, Peer: 1, Bytes: 9, Message: 1},
	}
	require.Nil(t, findOverlaps(&trace.Rank{Events: events}))
	events[0].Flags = 0
	require.Len(t, findOverlaps(&trace.Rank{Events: events}), 2)
}
