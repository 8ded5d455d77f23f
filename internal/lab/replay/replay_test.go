package replay

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
	"github.com/gopvas/gopvas/trace"
)

func replay(t *testing.T, o Options, ranks ...[]trace.Event) *Replay {
	t.Helper()
	tr := &trace.Trace{Meta: trace.Meta{Ranks: len(ranks)}, End: &trace.End{}}
	for _, events := range ranks {
		tr.Ranks = append(tr.Ranks, trace.Rank{Events: events})
	}
	r, err := New(tr, o)
	require.NoError(t, err)
	return r
}

// ops are the operations of a rank as text.
func ops(r *Replay, rank int) (list []string) {
	span := r.Graph.Of(rank)
	for id := span.First; id < span.End; id++ {
		list = append(list, r.Graph.Op(id).String())
	}
	return list
}

func TestBlocking(t *testing.T) {
	r := replay(t, Options{},
		[]trace.Event{
			{Kind: trace.Init, Start: 0, End: 10, Peer: trace.Any},
			{Kind: trace.Send, Start: 110, End: 120, Peer: 1, Bytes: 8, Tag: 5, Message: 1},
			{Kind: trace.Recv, Start: 120, End: 300, Peer: 1, Bytes: 9, Tag: 7, Message: 1},
			{Kind: trace.Finalize, Start: 350, End: 360, Peer: trace.Any},
		},
		[]trace.Event{
			{Kind: trace.Recv, Start: 20, End: 200, Peer: 0, Bytes: 8, Tag: 5, Message: 1,
				Flags: trace.AnySource | trace.AnyTag},
			{Kind: trace.Stall, Start: 210, End: 220},
			{Kind: trace.Send, Start: 230, End: 240, Peer: 0, Bytes: 9, Tag: 7, Message: 1},
		})
	assert.Equal(t, []string{"calc 100 ns", "send 8 B to rank 1, tag 1", "recv 9 B from rank 1, tag 1", "calc 50 ns"},
		ops(r, 0))
	assert.Equal(t, []string{"recv 8 B from rank 0, tag 1", "calc 20 ns", "send 9 B to rank 0, tag 1"}, ops(r, 1))
	assert.Equal(t, "send", r.Sites[r.Graph.Op(1).Site])
}

// TestRecordingIsNoComputation: what recording adds to gaps between calls is taken off, and what a gap has too
// little, the next one has too much.
func TestRecordingIsNoComputation(t *testing.T) {
	tr := &trace.Trace{Meta: trace.Meta{Ranks: 1, GapNS: 30}, End: &trace.End{},
		Ranks: []trace.Rank{{Events: []trace.Event{
			{Kind: trace.Init, End: 10, Peer: trace.Any},
			{Kind: trace.Barrier, Start: 60, End: 70, Peer: trace.Any},
			{Kind: trace.Barrier, Start: 90, End: 100, Peer: trace.Any},
			{Kind: trace.Finalize, Start: 300, End: 310, Peer: trace.Any},
		}}}}
	r, err := New(tr, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"calc 20 ns", "calc 160 ns"}, ops(r, 0))
}

// TestStalls: a rank that waits for space in its buffer computes nothing meanwhile. That which records a call
// stands before the call, and begins behind its end.
func TestStalls(t *testing.T) {
	stall := func(start, end int64) trace.Event { return trace.Event{Kind: trace.Stall, Start: start, End: end} }
	barrier := func(start, end int64) trace.Event {
		return trace.Event{Kind: trace.Barrier, Start: start, End: end, Peer: trace.Any}
	}
	r := replay(t, Options{}, []trace.Event{
		barrier(0, 10), stall(12, 20), barrier(30, 40), // between calls: it computes 12
		stall(70, 80), barrier(60, 70), // behind the end of a call, which it records: 20 before the call
		stall(105, 110), barrier(100, 120), // in a call: 20 before it
		barrier(130, 140), // 10
	})
	assert.Equal(t, []string{"calc 12 ns", "calc 20 ns", "calc 20 ns", "calc 10 ns"}, ops(r, 0))
}

// TestRequests: a wait awaits what it has taken, also where another call was in progress when the
// message left or came.
func TestRequests(t *testing.T) {
	r := replay(t, Options{},
		[]trace.Event{
			{Kind: trace.Irecv, Start: 0, End: 1, Peer: trace.Any, Request: 1, Flags: trace.AnySource},
			{Kind: trace.Isend, Start: 2, End: 3, Peer: 1, Request: 2, Bytes: 8},
			{Kind: trace.Irecv, Start: 3, End: 4, Peer: 1, Request: 3}, // cancelled
			{Kind: trace.Sent, Start: 10, End: 10, Peer: 1, Request: 2, Bytes: 8, Message: 1},
			{Kind: trace.Received, Start: 11, End: 11, Peer: 1, Request: 1, Bytes: 4, Message: 1},
			{Kind: trace.Taken, Start: 12, End: 12, Request: 2},
			{Kind: trace.Taken, Start: 13, End: 13, Request: 1},
			{Kind: trace.WaitAll, Start: 4, End: 20, Request: 2},
		},
		[]trace.Event{
			{Kind: trace.Recv, Start: 0, End: 10, Peer: 0, Bytes: 8, Message: 1},
			{Kind: trace.Send, Start: 10, End: 11, Peer: 0, Bytes: 4, Message: 1},
		})
	assert.Equal(t, []string{"irecv 4 B from rank 1, tag 1", "calc 1 ns", "isend 8 B to rank 1, tag 1", "wait"},
		ops(r, 0))
	awaited := 0
	for id := range graph.ID(3) {
		for _, d := range r.Graph.Dependents(id) {
			if d.Dep() == graph.Awaits {
				assert.EqualValues(t, 3, d.ID())
				awaited++
			}
		}
	}
	assert.Equal(t, 2, awaited)
	_, err := sim.Run(r.Graph, sim.Options{Machine: loggps.Single(loggps.Params{L: 1, Sync: 100, Packet: 100})})
	require.NoError(t, err)
}

// TestCPU: a rank that has lost its CPU has not computed.
func TestCPU(t *testing.T) {
	r := replay(t, Options{}, []trace.Event{
		{Kind: trace.Barrier, Start: 0, End: 1000, Peer: trace.Any},
		{Kind: trace.CPU, Start: 1000, End: 1000, Bytes: 500},
		{Kind: trace.CPU, Start: 9000, End: 9000, Bytes: 3500},
		{Kind: trace.Barrier, Start: 9000, End: 9100, Peer: trace.Any},
		{Kind: trace.Barrier, Start: 9150, End: 9200, Peer: trace.Any},
	})
	assert.Equal(t, []string{"calc 3000 ns", "calc 50 ns"}, ops(r, 0))
}

// TestCollectives: messages within a call are its steps; without any it becomes an algorithm.
func TestCollectives(t *testing.T) {
	step := func(k trace.Kind, at int64, peer int32, message uint32) trace.Event {
		return trace.Event{Kind: k, Start: at, End: at, Peer: peer, Bytes: 16, Message: message, Flags: trace.Inside}
	}
	call := trace.Event{Kind: trace.Allreduce, Start: 0, End: 100, Bytes: 16, Request: 1, Context: 1, Peer: trace.Any}
	ranks := [][]trace.Event{
		{step(trace.Sent, 1, 1, 1), step(trace.Received, 50, 1, 1), call},
		{step(trace.Sent, 2, 0, 1), step(trace.Received, 40, 0, 1), call},
	}
	assert.Equal(t, []string{"isend 16 B to rank 1, tag 1", "recv 16 B from rank 1, tag 1", "wait"},
		ops(replay(t, Options{}, ranks...), 0))
	bare := [][]trace.Event{{call}, {}, {call}}
	ring := Options{Algorithms: map[string]string{"allreduce": "allreduce-ring"}}
	assert.Len(t, ops(replay(t, Options{}, bare...), 0), 3) // irecv, isend, wait, with rank 2
	assert.Contains(t, ops(replay(t, Options{}, bare...), 2)[1], "isend 16 B to rank 0")
	assert.Empty(t, ops(replay(t, Options{}, bare...), 1))
	assert.Len(t, ops(replay(t, ring, bare...), 0), 6)
	expanded := ring
	expanded.Expand = true
	assert.Len(t, ops(replay(t, expanded, ranks...), 0), 6)
}

// TestCollectiveOfNodes: where members had no messages, since they met in the memory of their node,
// the whole call becomes an algorithm.
func TestCollectiveOfNodes(t *testing.T) {
	step := func(k trace.Kind, at int64, peer int32) trace.Event {
		return trace.Event{Kind: k, Start: at, End: at, Peer: peer, Message: 1, Flags: trace.Inside}
	}
	call := trace.Event{Kind: trace.Barrier, Start: 0, End: 100, Request: 1, Context: 1, Peer: trace.Any}
	tr := &trace.Trace{Meta: trace.Meta{Ranks: 3, Nodes: []int{0, 0, 1}, Hosts: []string{"a", "b"}},
		End: &trace.End{}, Ranks: []trace.Rank{
			{Events: []trace.Event{step(trace.Sent, 1, 2), step(trace.Received, 50, 2), call}},
			{Events: []trace.Event{call}},
			{Events: []trace.Event{step(trace.Sent, 1, 0), step(trace.Received, 50, 0), call}},
		}}
	r, err := New(tr, Options{})
	require.NoError(t, err)
	_, err = sim.Run(r.Graph, sim.Options{Machine: loggps.Single(loggps.Params{L: 1, Sync: 100, Packet: 100})})
	require.NoError(t, err)
	assert.NotEmpty(t, ops(r, 1))
}

func TestMistakes(t *testing.T) {
	tr := &trace.Trace{Meta: trace.Meta{Ranks: 1}, Ranks: []trace.Rank{{Lost: 3}}, End: &trace.End{}}
	_, err := New(tr, Options{})
	require.ErrorContains(t, err, "3 events are missing")
	tr.Ranks[0].Lost, tr.Cut = 0, &trace.CutError{Offset: 7, Reason: "no more"}
	_, err = New(tr, Options{})
	require.ErrorContains(t, err, "not whole")
	require.ErrorContains(t, err, "trace info and list show")
	tr.Cut = nil
	_, err = New(tr, Options{Algorithms: map[string]string{"x": "y"}})
	require.ErrorContains(t, err, "there are")
	_, err = New(tr, Options{Algorithms: map[string]string{"barrier": "y"}})
	require.ErrorContains(t, err, "no such algorithm")
}

// TestMissingEnds: a message that was not received is taken at the end. A receive whose message is
// not in the trace, or that had none, is nothing.
func TestMissingEnds(t *testing.T) {
	r := replay(t, Options{},
		[]trace.Event{
			{Kind: trace.Send, Start: 0, End: 1, Peer: 1, Bytes: 5, Message: 1},
			{Kind: trace.Send, Start: 1, End: 2, Peer: 1, Bytes: 6, Message: 2},
		},
		[]trace.Event{
			{Kind: trace.Irecv, Start: 0, End: 1, Peer: 0, Request: 1},
			{Kind: trace.Irecv, Start: 1, End: 2, Peer: 0, Request: 2},
			{Kind: trace.Recv, Start: 2, End: 3, Peer: 0, Bytes: 6, Message: 2},
			{Kind: trace.Recv, Start: 3, End: 4, Peer: 0, Bytes: 7, Message: 3},
			{Kind: trace.Received, Start: 5, End: 5, Peer: trace.Any, Request: 1},
			{Kind: trace.Received, Start: 5, End: 5, Peer: 0, Request: 2, Message: 4},
			{Kind: trace.Finalize, Start: 5, End: 6, Peer: trace.Any},
		})
	assert.Equal(t, []string{"recv 6 B from rank 0, tag 2", "calc 1 ns", "irecv 5 B from rank 0, tag 1"}, ops(r, 1))
	for _, synchronous := range []bool{false, true} {
		_, err := sim.Run(r.Graph,
			sim.Options{Machine: loggps.Single(loggps.Params{L: 1, Sync: 100, Packet: 100}), Synchronous: synchronous})
		assert.Equal(t, synchronous, err != nil, "%v", err)
	}
}

// TestNotesOfEpochs: all ranks call Post, and then Start. Post waits for nobody, also if no message is buffered.
func TestNotesOfEpochs(t *testing.T) {
	const ranks = 3
	var all [][]trace.Event
	for rank := range int32(ranks) {
		left, right := (rank+ranks-1)%ranks, (rank+1)%ranks
		all = append(all, []trace.Event{
			{Kind: trace.Sent, Start: 11, End: 11, Peer: left, Request: 1, Message: 1},
			{Kind: trace.Isend, Start: 10, End: 12, Peer: left, Request: 1},
			{Kind: trace.Test, Start: 13, End: 14, Peer: left, Request: 1},
			{Kind: trace.WinPost, Start: 9, End: 15, Peer: trace.Any},
			{Kind: trace.Recv, Start: 20, End: 30, Peer: right, Message: 1},
			{Kind: trace.WinStart, Start: 19, End: 31, Peer: trace.Any},
		})
	}
	r := replay(t, Options{}, all...)
	_, err := sim.Run(r.Graph, sim.Options{Machine: loggps.Single(loggps.Params{L: 1}), Synchronous: true})
	require.NoError(t, err)
	for rank := range all { // a send of the program's own
		all[rank] = append(all[rank][:3], all[rank][4])
	}
	r = replay(t, Options{}, all...)
	_, err = sim.Run(r.Graph, sim.Options{Machine: loggps.Single(loggps.Params{L: 1}), Synchronous: true})
	require.ErrorContains(t, err, "deadlock")
}

// TestNoTime: a send of estimated times may begin and end as the next call begins. It is not within that.
func TestNoTime(t *testing.T) {
	r := replay(t, Options{},
		[]trace.Event{
			{Kind: trace.Send, Start: 100, End: 100, Peer: 1, Bytes: 8, Message: 1, Flags: trace.Estimated},
			{Kind: trace.Send, Start: 100, End: 120, Peer: 1, Bytes: 9, Message: 2, Flags: trace.Estimated},
		},
		[]trace.Event{
			{Kind: trace.Recv, Start: 90, End: 110, Peer: 0, Bytes: 8, Message: 1},
			{Kind: trace.Recv, Start: 110, End: 130, Peer: 0, Bytes: 9, Message: 2},
		})
	assert.Equal(t, []string{"send 8 B to rank 1, tag 1", "send 9 B to rank 1, tag 2"}, ops(r, 0))
}

// TestFits: a trace with more sends and receives than a graph has operations is refused before work is put into it.
// What is no operation does not count, nor do messages within collectives.
func TestFits(t *testing.T) {
	events := []trace.Event{
		{Kind: trace.Send, Message: 1}, {Kind: trace.Received, Message: 1}, {Kind: trace.Probe},
		{Kind: trace.Sent, Message: 2, Flags: trace.Inside}, {Kind: trace.Recv},
	}
	tr := &trace.Trace{Meta: trace.Meta{Ranks: 1}, End: &trace.End{Events: 5}, Ranks: []trace.Rank{{Events: events}}}
	require.NoError(t, Fits(tr))
	require.NoError(t, fits(tr, 2))
	require.ErrorContains(t, fits(tr, 1), "what is looked at has 2 sends and receives, and a model takes 1")
}
