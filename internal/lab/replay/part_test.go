package replay

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/loggps/waits"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/sim"
	"github.com/gopvas/gopvas/trace"
)

// TestPart: ranks that are left out have done nothing, and a part of time begins and ends at its edges; what waits
// there waits until the edge.
func TestPart(t *testing.T) {
	init := trace.Event{Kind: trace.Init, End: 100, Peer: trace.Any}
	end := trace.Event{Kind: trace.Finalize, Start: 2000, End: 2100, Peer: trace.Any}
	recv := trace.Event{Kind: trace.Recv, Start: 200, End: 1000, Peer: 1, Message: 1, Bytes: 8}
	send := trace.Event{Kind: trace.Send, Start: 900, End: 1000, Peer: 0, Message: 1, Bytes: 8}
	tr := &trace.Trace{Meta: trace.Meta{Ranks: 3, CPUs: 3}, End: &trace.End{}, Ranks: []trace.Rank{
		{Events: []trace.Event{init, recv, end}}, {Events: []trace.Event{init, send, end}},
		{Events: []trace.Event{init, end}}}}
	lane := func(p Part, rank, lone int) (list []waits.Piece) {
		part, n := p.Of(tr)
		require.Equal(t, lone, n)
		return Pieces(part).Ranks[rank]
	}
	whole := Pieces(tr)
	for rank := range tr.Ranks {
		assert.Equal(t, whole.Ranks[rank], lane(Part{}, rank, 0))
	}
	assert.Empty(t, lane(Part{Ranks: []int{0, 1}}, 2, 0))
	assert.Equal(t, waits.Elsewhere, lane(Part{Ranks: []int{0, 2}}, 0, 1)[0].Cause, "nobody knows the sender")

	early := lane(Part{From: 50, To: 500}, 0, 1) // 150 to 600
	assert.Equal(t, [2]float64{50, 450}, [2]float64{early[0].From, early[0].To})
	assert.Equal(t, uint8(trace.Recv), early[0].Call)
	late := lane(Part{From: 700}, 0, 0)
	assert.Equal(t, [2]float64{0, 200}, [2]float64{late[0].From, late[0].To})
	assert.InDelta(t, 100, late[0].Waited(), 1e-9)

	slow := init
	slow.End = 150
	tr.Ranks[1].Events[0] = slow
	some, _ := (&Part{Ranks: []int{0}}).Of(tr)
	assert.EqualValues(t, 150, Zero(some), "rank 0 was through Init before")

	never := send
	never.Message = 2
	tr.Ranks[1].Events = []trace.Event{init, send, never, end}
	_, lone := (&Part{Ranks: []int{0, 1, 2}}).Of(tr)
	assert.Zero(t, lone, "nobody has received it")
	_, lone = (&Part{Ranks: []int{1, 2}}).Of(tr)
	assert.Equal(t, 1, lone)
}

// TestPartsRun: whatever is cut off, nobody waits for it.
func TestPartsRun(t *testing.T) {
	tr := busy(t)
	whole, err := New(tr, Options{})
	require.NoError(t, err)
	random := testkit.Rand(t)
	for range 200 {
		from := random.Int64N(60_000)
		p := Part{From: from, To: from + 1 + random.Int64N(60_000)}
		for rank := range tr.Ranks {
			if random.IntN(4) > 0 {
				p.Ranks = append(p.Ranks, rank)
			}
		}
		part, _ := p.Of(tr)
		r, err := New(part, Options{})
		require.NoError(t, err)
		require.Less(t, r.Graph.Len(), whole.Graph.Len())
		for _, synchronous := range []bool{false, true} {
			_, err = sim.Run(r.Graph, sim.Options{Machine: loggps.Single(loggps.Params{L: 100, O: 10}),
				Compute: 1, Synchronous: synchronous})
			require.NoError(t, err, "%+v", p)
		}
		waits.Analyze(Pieces(part), nil)
	}
}

// busy is the trace of a program with all kinds of messages: steps of 10 us of four ranks.
func busy(t *testing.T) *trace.Trace {
	tr := &trace.Trace{Meta: trace.Meta{Ranks: 4, CPUs: 4}, End: &trace.End{}, Ranks: make([]trace.Rank, 4)}
	for rank := range tr.Ranks {
		right, left := int32((rank+1)%4), int32((rank+3)%4)
		events := []trace.Event{{Kind: trace.Init, End: 100, Peer: trace.Any}}
		for step := range uint32(8) {
			at := int64(1000 + 10_000*step)
			e := func(k trace.Kind, from, to int64, peer int32, message, request uint32, f trace.Flags) {
				events = append(events, trace.Event{Kind: k, Start: at + from, End: at + to, Peer: peer,
					Message: message, Request: request, Bytes: 5000, Context: 1, Flags: f | trace.By(trace.Rendezvous)})
			}
			e(trace.Irecv, 0, 10, left, 0, 2*step+1, 0)
			e(trace.Isend, 20, 30, right, 0, 2*step+2, 0)
			e(trace.Received, 2000, 2000, left, 3*step+1, 2*step+1, 0)
			e(trace.Sent, 2100, 2100, right, 3*step+1, 2*step+2, 0)
			e(trace.Taken, 2200, 2200, trace.Any, 0, 2*step+1, 0)
			e(trace.Taken, 2200, 2200, trace.Any, 0, 2*step+2, 0)
			e(trace.WaitAll, 100, 2200, trace.Any, 0, 2, 0)
			e(trace.Sent, 3200, 3200, right, 3*step+2, 0, trace.Inside)
			e(trace.Received, 3300+int64(100*rank), 3300+int64(100*rank), left, 3*step+2, 0, trace.Inside)
			e(trace.Allreduce, 3000, 4000, trace.Any, 0, step+1, 0)
			if rank%2 == 0 {
				e(trace.Send, 5000, 6000, right, 3*step+3, 0, 0)
			} else {
				e(trace.Recv, 5000, 6000, left, 3*step+3, 0, 0)
			}
			e(trace.Barrier, 7000, 7500+int64(rank), trace.Any, 0, 100+step, 0)
		}
		tr.Ranks[rank].Events = append(events, trace.Event{Kind: trace.Finalize, Start: 90_000, End: 90_100,
			Peer: trace.Any})
	}
	return tr
}
