package recorder

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/trace"
)

// TestRepeated: whatever differs from the last send or receive, all events are in the file as they were, also
// where some were lost. Most of these are repeated, and three of them take one record.
func TestRepeated(t *testing.T) {
	const events = 8000
	root := newRoot(t, 1, 8)
	var file bytes.Buffer
	d, err := Start(root, &file, trace.Meta{BTL: "pvas", CPUs: 2})
	require.NoError(t, err)
	r := New(root, 0)
	r.long = 1 << 50 // no sample of CPU time is among them
	rng := rand.New(rand.NewPCG(1, 2))
	var written []trace.Event
	event, at, number := [2]What{{Bytes: 8, Context: 7, Flags: trace.By(trace.Eager)}, {Bytes: 8, Context: 7}}, uint64(1<<40), [2]uint32{}
	for range events {
		way := rng.IntN(2)
		w, took := &event[way], rng.Uint64N(1000)
		switch rng.IntN(40) {
		case 0:
			w.Bytes = rng.Uint64N(1 << 34)
		case 1:
			w.Tag++
		case 2:
			w.Context = 7 + rng.Uint32N(2)
		case 3:
			w.Flags ^= trace.Synchronous
		case 4:
			number[way]++ // another message lies between
		case 5:
			took, at = took<<24, at+1<<33
		case 6:
			r.Point(trace.Done, &What{Number: 1, Context: 7, Peer: -1})
		}
		number[way]++
		at += rng.Uint64N(100)
		w.Number = number[way]
		now := *w
		if rng.IntN(3) == 0 {
			now.Flags |= trace.Estimated
		}
		k := trace.Send + trace.Kind(way)
		r.call(k, at, at+took, &now)
		written = append(written, trace.Event{Kind: k, Bytes: now.Bytes, Message: now.Number, Context: now.Context, Tag: now.Tag, Flags: now.Flags})
	}
	r.Publish()
	records := r.next
	require.NoError(t, d.Close())
	tr, err := trace.Read(&file)
	require.NoError(t, err)
	next := 0
	for _, e := range tr.Ranks[0].Events {
		if e.Kind != trace.Send && e.Kind != trace.Recv {
			continue
		}
		for next < len(written) && (written[next].Message != e.Message || written[next].Kind != e.Kind) {
			next++ // lost
		}
		require.Less(t, next, len(written), "an event that was not recorded: %+v", e)
		assert.GreaterOrEqual(t, e.End, e.Start)
		e.Start, e.End, e.Site = 0, 0, 0
		require.Equal(t, written[next], e)
		next++
	}
	found := count(tr.Ranks[0].Events, trace.Send) + count(tr.Ranks[0].Events, trace.Recv)
	if tr.Lost() == 0 {
		assert.Equal(t, events, found)
	}
	assert.Less(t, records, uint64(found), "records are fewer than events")
}

// TestLostRepeated: what comes after a loss is not taken for a repetition of what was lost.
func TestLostRepeated(t *testing.T) {
	root := newRoot(t, 1, 4)
	var file bytes.Buffer
	d, err := Start(root, &file, trace.Meta{BTL: "pvas", CPUs: 2})
	require.NoError(t, err)
	d.stop.Store(true)
	headOf(root.TraceBuffer(0)).event.Signal()
	<-d.done
	r := New(root, 0)
	r.long = 1 << 50 // no sample of CPU time is among the lost
	const events = 5000
	send := func(i uint32) {
		r.Call(trace.Send, r.Now(), &What{Bytes: 8, Number: i, Context: 7})
	}
	for i := range uint32(events) {
		send(i + 1)
	}
	r.Publish()
	d.round() // now there is space again
	send(events + 1)
	send(events + 2)
	r.Publish()
	require.NoError(t, d.Close())
	tr, err := trace.Read(&file)
	require.NoError(t, err)
	sends := count(tr.Ranks[0].Events, trace.Send)
	assert.Positive(t, tr.Lost())
	assert.EqualValues(t, events+2, sends+int(tr.Lost()))
	last := tr.Ranks[0].Events[len(tr.Ranks[0].Events)-2:]
	assert.EqualValues(t, events+1, last[0].Message)
	assert.EqualValues(t, events+2, last[1].Message)
}
