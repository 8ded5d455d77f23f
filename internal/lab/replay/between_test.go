package replay

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/trace"
)

// TestBetween: a rank computes before its messages leave and after the last one has come, but not
// while it waits: for a message, for the receiver of a long one, or for others to begin.
func TestBetween(t *testing.T) {
	step := func(k trace.Kind, at int64, message uint32, way trace.Protocol) trace.Event {
		return trace.Event{Kind: k, Start: at, End: at, Peer: 1, Bytes: 16, Message: message,
			Flags: trace.Inside | trace.By(way)}
	}
	init := trace.Event{Kind: trace.Init, End: 100, Peer: trace.Any}
	ranks := []trace.Rank{
		{Events: []trace.Event{
			init,
			{Kind: trace.Stall, Start: 103, End: 105},
			{Kind: trace.Stall, Start: 113, End: 115},
			step(trace.Sent, 112, 1, trace.Eager),
			{Kind: trace.Stall, Start: 151, End: 152},
			step(trace.Received, 150, 1, trace.Eager),
			step(trace.Sent, 157, 2, trace.Rendezvous), step(trace.Received, 180, 2, trace.Rendezvous),
			{Kind: trace.Stall, Start: 190, End: 195},
			{Kind: trace.Stall, Start: 208, End: 300},
			{Kind: trace.Allreduce, Start: 100, End: 208, Request: 1, Context: 1, Peer: trace.Any},
		}},
		{Events: []trace.Event{
			{Kind: trace.Init, End: 80, Peer: trace.Any},
			step(trace.Received, 120, 1, trace.Eager), step(trace.Sent, 121, 1, trace.Eager),
			step(trace.Received, 200, 2, trace.Rendezvous), step(trace.Sent, 170, 2, trace.Rendezvous),
			{Kind: trace.Allreduce, Start: 90, End: 200, Request: 1, Context: 1, Peer: trace.Any},
		}},
	}
	for i := range ranks[1].Events {
		ranks[1].Events[i].Peer = 0
	}
	for _, c := range []struct {
		cpus  int
		sizes []int64
	}{
		// until 112 without a stall of 2, from 150 to 157 without one of 1, and from 200, when rank 1 had it all
		{2, []int64{10, 6, 8}},
		{1, nil},
	} {
		r, err := New(&trace.Trace{Meta: trace.Meta{Ranks: 2, CPUs: c.cpus}, Ranks: ranks, End: &trace.End{}},
			Options{})
		require.NoError(t, err)
		var sizes []int64
		span := r.Graph.Of(0)
		for id := span.First; id < span.End; id++ {
			if op := r.Graph.Op(id); op.Kind.String() == "calc" {
				sizes = append(sizes, op.Size)
			}
		}
		assert.Equal(t, c.sizes, sizes)
	}
}
