package replay

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/gopvas/gopvas/internal/lab/loggps/waits"
	"github.com/gopvas/gopvas/trace"
)

// TestPieces: a call waits for the peer that came last to what the call has taken: also in a probe, in a collective
// call that does not block, and in one among neighbours. Times count from when all were through Init.
func TestPieces(t *testing.T) {
	call := func(k trace.Kind, start, end int64, peer int32, message, request uint32) trace.Event {
		return trace.Event{Kind: k, Start: start, End: end, Peer: peer, Message: message, Request: request, Bytes: 8,
			Flags: trace.By(trace.Eager)}
	}
	init := trace.Event{Kind: trace.Init, End: 100, Peer: trace.Any}
	taken := func(request uint32) trace.Event { return trace.Event{Kind: trace.Taken, Request: request} }
	offered := call(trace.Sent, 700, 700, 1, 2, 2)
	offered.Flags = trace.By(trace.Rendezvous)
	part := call(trace.Received, 1490, 1490, 1, 3, 0)
	part.Flags |= trace.Inside
	sent := call(trace.Sent, 1400, 1400, 0, 3, 0)
	sent.Flags |= trace.Inside
	tr := &trace.Trace{Meta: trace.Meta{Ranks: 2, CPUs: 2}, End: &trace.End{}, Ranks: []trace.Rank{
		{Events: []trace.Event{
			init,
			call(trace.Probe, 150, 310, 1, 0, 0), call(trace.Recv, 310, 320, 1, 1, 0),
			call(trace.Irecv, 330, 340, 1, 0, 1), call(trace.Received, 610, 610, 1, 2, 1),
			call(trace.Isend, 350, 360, 1, 0, 2), offered, taken(1), taken(2), call(trace.WaitAll, 400, 720, -1, 0, 2),
			call(trace.Begin, 800, 810, -1, 0, 3), taken(3), call(trace.Wait, 820, 1010, -1, 0, 3),
			part, call(trace.Neighbor, 1300, 1500, -1, 0, 9),
			call(trace.Finalize, 1600, 1700, -1, 0, 0), call(trace.Barrier, 1600, 1650, -1, 0, 7),
		}},
		{Events: []trace.Event{
			{Kind: trace.Init, End: 50, Peer: trace.Any},
			call(trace.Send, 300, 301, 0, 1, 0), call(trace.Send, 600, 601, 0, 2, 0),
			call(trace.Recv, 650, 710, 0, 2, 0),
			call(trace.Begin, 1000, 1001, -1, 0, 1), taken(1), call(trace.Wait, 1002, 1003, -1, 0, 1),
			sent, call(trace.Neighbor, 1390, 1400, -1, 0, 9),
			call(trace.Finalize, 1600, 1700, -1, 0, 0),
		}},
	}}
	type row struct {
		call   trace.Kind
		from   float64
		waited float64
		cause  waits.Cause
	}
	var got []row
	run := Pieces(tr)
	for _, p := range run.Ranks[0] {
		if p.Cause != waits.None {
			assert.EqualValues(t, 1, p.Peer)
			got = append(got, row{trace.Kind(p.Call), p.From, p.Waited(), p.Cause})
		}
	}
	assert.Equal(t, []row{
		{trace.Probe, 50, 150, waits.LateSender}, {trace.Recv, 210, 0, waits.LateSender},
		{trace.WaitAll, 300, 250, waits.Rendezvous}, {trace.Wait, 720, 180, waits.LateMember},
		{trace.Neighbor, 1200, 90, waits.LateSender},
	}, got)
	lane := run.Ranks[0]
	assert.Len(t, lane, 9, "computations before calls have no piece")
	assert.EqualValues(t, 1500, lane[len(lane)-1].To, "until Finalize")
	assert.EqualValues(t, 50+10+10+40+80+10+290+100, run.Times()[0].Computed)
}

// TestPiecesOfWindows: a fence waits as the collective call that it is made of.
func TestPiecesOfWindows(t *testing.T) {
	fence := func(start, end int64) []trace.Event {
		return []trace.Event{
			{Kind: trace.Barrier, Start: start + 1, End: end - 1, Context: 3, Request: 4, Peer: trace.Any},
			{Kind: trace.WinFence, Start: start, End: end, Context: 3, Peer: trace.Any},
		}
	}
	run := Pieces(&trace.Trace{Meta: trace.Meta{Ranks: 2, CPUs: 2},
		Ranks: []trace.Rank{{Events: fence(100, 900)}, {Events: fence(700, 910)}}})
	piece := run.Ranks[0][0]
	assert.EqualValues(t, trace.WinFence, piece.Call)
	assert.Equal(t, waits.LateMember, piece.Cause)
	assert.EqualValues(t, 1, piece.Peer)
	assert.EqualValues(t, 601, piece.Waited())
}

// TestPiecesKeepNoTrace: a trace is as large as what ranks have done, and is not needed behind that.
func TestPiecesKeepNoTrace(t *testing.T) {
	events := []trace.Event{{Kind: trace.Init, End: 100, Peer: trace.Any},
		{Kind: trace.Finalize, Start: 200, End: 300, Peer: trace.Any}}
	tr := &trace.Trace{Meta: trace.Meta{Ranks: 1, CPUs: 1}, End: &trace.End{}, Ranks: []trace.Rank{{Events: events}}}
	gone := weak.Make(tr)
	run := Pieces(tr)
	tr = nil
	runtime.GC()
	assert.Nil(t, gone.Value())
	assert.Len(t, run.Ranks[0], 1)
}
