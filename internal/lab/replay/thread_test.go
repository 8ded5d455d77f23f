package replay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/sim"
	"github.com/gopvas/gopvas/trace"
)

// run simulates a graph with or without buffers.
func run(r *Replay, synchronous bool) error {
	_, err := sim.Run(r.Graph,
		sim.Options{Machine: loggps.Single(loggps.Params{L: 5, O: 2, Sync: 1 << 20, Packet: 1 << 20}),
			Synchronous: synchronous})
	return err
}

// of gives events to a thread.
func of(thread int, events ...trace.Event) []trace.Event {
	for i := range events {
		events[i].Flags |= trace.OfThread(thread)
	}
	return events
}

// TestThreads: a thread receives while another one computes and sends. Each waits for its own calls only.
func TestThreads(t *testing.T) {
	r := replay(t, Options{},
		append(of(0,
			trace.Event{Kind: trace.Init, Start: 0, End: 10, Peer: trace.Any},
			trace.Event{Kind: trace.Send, Start: 1020, End: 1100, Peer: 1, Bytes: 8, Message: 1}),
			append(of(1, trace.Event{Kind: trace.Recv, Start: 10, End: 3000, Peer: 1, Bytes: 9, Message: 1},
				trace.Event{Kind: trace.Recv, Start: 3020, End: 5000, Peer: 0, Bytes: 7, Message: 1}),
				of(0, trace.Event{Kind: trace.Send, Start: 4000, End: 5000, Peer: 0, Bytes: 7, Message: 1},
					trace.Event{Kind: trace.Finalize, Start: 5100, End: 5110, Peer: trace.Any})...)...),
		[]trace.Event{
			{Kind: trace.Recv, Start: 20, End: 2000, Peer: 0, Bytes: 8, Message: 1},
			{Kind: trace.Send, Start: 2000, End: 2050, Peer: 0, Bytes: 9, Message: 1},
		})
	require.Empty(t, r.Overlapping)
	require.Equal(t, 2, r.Graph.CPUs())
	byCPU := map[uint8][]string{}
	span := r.Graph.Of(0)
	for id := span.First; id < span.End; id++ {
		op := r.Graph.Op(id)
		byCPU[op.CPU] = append(byCPU[op.CPU], op.String())
	}
	require.Equal(t, map[uint8][]string{
		0: {"calc 1010 ns", "send 8 B to rank 1, tag 1", "calc 2900 ns", "send 7 B to rank 0, tag 1", "calc 100 ns"},
		1: {"recv 9 B from rank 1, tag 1", "calc 20 ns", "recv 7 B from rank 0, tag 1"},
	}, byCPU)
	require.NoError(t, run(r, false))
	require.NoError(t, run(r, true))
}

// TestDeadlockOfThreads: two ranks both send before they receive, which needs buffers, beside threads that have to do
// with one another only.
func TestDeadlockOfThreads(t *testing.T) {
	rank := func(other int32) []trace.Event {
		sent, received := int64(15), int64(17)
		if other == 0 {
			sent, received = 950, 10
		}
		aside := of(1, trace.Event{Kind: trace.Send, Start: sent, End: sent + 1, Peer: other, Bytes: 7, Message: 2},
			trace.Event{Kind: trace.Recv, Start: received, End: 900, Peer: other, Bytes: 7, Message: 2})
		return append(of(0, trace.Event{Kind: trace.Send, Start: 20, End: 30, Peer: other, Bytes: 8, Message: 1},
			trace.Event{Kind: trace.Recv, Start: 30, End: 500, Peer: other, Bytes: 8, Message: 1}), aside...)
	}
	r := replay(t, Options{}, rank(1), rank(0))
	require.NoError(t, run(r, false))
	err := run(r, true)
	require.ErrorContains(t, err, "deadlock")
	require.ErrorContains(t, err, "send 8 B to rank 1, tag 1")
}

// TestRequestsOfThreads: a thread takes the result of a request that another one has begun. The steps of a collective
// call are those of the thread that has called, whoever moves them on.
func TestRequestsOfThreads(t *testing.T) {
	step := func(k trace.Kind, at int64, peer int32) trace.Event {
		return trace.Event{Kind: k, Start: at, End: at, Peer: peer, Bytes: 8, Message: 1, Context: 5,
			Flags: trace.Inside}
	}
	events := of(0, trace.Event{Kind: trace.Irecv, Start: 30, End: 35, Request: 1, Peer: 1})
	events = append(events, of(1, step(trace.Sent, 300, 1))...)
	events = append(events, of(1, trace.Event{Kind: trace.Received, Start: 500, End: 500, Peer: 1, Bytes: 3, Message: 2,
		Request: 1}, trace.Event{Kind: trace.Taken, Start: 500, End: 500, Request: 1},
		trace.Event{Kind: trace.Wait, Start: 50, End: 510, Request: 1, Peer: trace.Any})...)
	events = append(events,
		of(0, trace.Event{Kind: trace.Bcast, Start: 250, End: 600, Context: 5, Request: 1, Bytes: 8})...)
	r := replay(t, Options{}, events, []trace.Event{
		{Kind: trace.Send, Start: 30, End: 40, Peer: 0, Bytes: 3, Message: 2},
		step(trace.Received, 800, 0), {Kind: trace.Bcast, Start: 50, End: 900, Context: 5, Request: 1, Bytes: 8},
	})
	require.NoError(t, run(r, true))
	byCPU := map[uint8][]string{}
	for id := r.Graph.Of(0).First; id < r.Graph.Of(0).End; id++ {
		op := r.Graph.Op(id)
		byCPU[op.CPU] = append(byCPU[op.CPU], op.String())
	}
	require.Equal(t, []string{"irecv 3 B from rank 1, tag 2", "calc 215 ns", "isend 8 B to rank 1, tag 1", "wait"},
		byCPU[0])
	require.Equal(t, []string{"calc 20 ns", "wait"}, byCPU[1])
}

// TestCollectivesOfThreads: two threads of each rank are in collective calls, which end in another order on each of
// the ranks; also where they could not be told apart.
func TestCollectivesOfThreads(t *testing.T) {
	for k := trace.Barrier; k < trace.Neighbor; k++ {
		for _, second := range []int{0, 1} {
			call := func(thread int, start, end int64, context uint32) trace.Event {
				return trace.Event{Kind: k, Start: start, End: end, Context: context, Request: 1, Bytes: 8,
					Flags: trace.OfThread(thread * second)}
			}
			r := replay(t, Options{}, []trace.Event{call(1, 20, 90, 2), call(0, 10, 100, 1)},
				[]trace.Event{call(0, 15, 80, 1), call(1, 25, 110, 2)},
				[]trace.Event{call(0, 30, 40, 1), call(1, 50, 60, 2)})
			require.Equal(t, second == 0, r.Overlapping != nil, k)
			require.NoError(t, run(r, false))
			require.NoError(t, run(r, true))
		}
	}
}

// TestEstimatesDoNotOverlap: the end of a receive that is an estimate may lie behind the start of the next call.
func TestEstimatesDoNotOverlap(t *testing.T) {
	events := []trace.Event{
		{Kind: trace.Recv, Start: 0, End: 30_000, Peer: 1, Bytes: 9, Message: 1, Flags: trace.Estimated},
		{Kind: trace.Send, Start: 29_000, End: 31_000, Peer: 1, Bytes: 9, Message: 1},
	}
	require.Equal(t, 1, rowsOf(events).count)
	events[0].Flags = 0
	require.Equal(t, 2, rowsOf(events).count)
	require.True(t, rowsOf(events).several)
}
