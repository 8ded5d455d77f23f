package replay

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/trace"
)

// TestGaps: of a job that computes nothing, gaps are the cost of recording, by the calls on either
// side of them. Taken off another job, they leave what that computes.
func TestGaps(t *testing.T) {
	job := func(computed int64) *trace.Trace {
		tr := &trace.Trace{Meta: trace.Meta{Ranks: 1, GapNS: 5}, End: &trace.End{}, Ranks: make([]trace.Rank, 1)}
		at := int64(0)
		add := func(k trace.Kind, gap int64, f trace.Flags) {
			start := at + gap
			at = start + 10
			tr.Ranks[0].Events = append(tr.Ranks[0].Events,
				trace.Event{Kind: k, Start: start, End: at, Peer: trace.Any, Bytes: 8, Flags: f})
		}
		for range 2 * fewGaps {
			add(trace.Barrier, 30+computed, 0)
			add(trace.Barrier, 20+computed, trace.Estimated)
			add(trace.Wait, 40+computed, 0)
		}
		return tr
	}
	recording := Gaps(job(0))
	assert.Equal(t, Recording{
		"barrier": 20, "barrier barrier~": 20, "barrier~": 40, "barrier~ wait": 40, "wait": 30, "wait barrier": 30,
		"barrier barrier~ 8": 20, "barrier~ wait 8": 40, "wait barrier 8": 30,
	}, recording)

	r, err := New(job(7), Options{Recording: recording})
	require.NoError(t, err)
	list := ops(r, 0)
	require.NotEmpty(t, list)
	for _, op := range list {
		assert.Equal(t, "calc 7 ns", op)
	}
	m := &maker{recording: 5, options: Options{Recording: recording}}
	other := &trace.Event{Kind: trace.Send}
	assert.EqualValues(t, 30, m.recorded(&trace.Event{Kind: trace.Wait}, other),
		"an unknown pair: behind any such call")
	assert.EqualValues(t, 5, m.recorded(other, other))
}

// TestGapsByLength: estimates of a length count from when they are learnt, and between two
// lengths lies a line.
func TestGapsByLength(t *testing.T) {
	tr := &trace.Trace{Meta: trace.Meta{Ranks: 1}, End: &trace.End{}, Ranks: make([]trace.Rank, 1)}
	at := int64(0)
	for _, length := range []struct {
		bytes     uint64
		gap, late int64
	}{{8, 1, 10}, {1008, 5, 40}} {
		for i := range 2*fewGaps + 1 {
			gap := length.gap
			if i > fewGaps { // the first event has no gap
				gap = length.late
			}
			at += gap
			tr.Ranks[0].Events = append(tr.Ranks[0].Events,
				trace.Event{Kind: trace.Send, Start: at, End: at + 10, Bytes: length.bytes, Flags: trace.Estimated})
			at += 10
		}
		tr.Ranks[0].Events = append(tr.Ranks[0].Events, trace.Event{Kind: trace.Wait, Start: at, End: at})
	}
	recording := Gaps(tr)
	assert.Equal(t, 10.0, recording["send~ send~ 8"])
	assert.Equal(t, 40.0, recording["send~ send~ 1008"])
	m := &maker{lengths: recording.lengths(), options: Options{Recording: recording}}
	for bytes, want := range map[uint64]int64{0: 10, 8: 10, 508: 25, 1008: 40, 5000: 40} {
		e := &trace.Event{Kind: trace.Send, Bytes: bytes, Flags: trace.Estimated}
		assert.Equal(t, want, m.recorded(e, e), "%d bytes", bytes)
	}
	known := &trace.Event{Kind: trace.Send, Bytes: 508}
	assert.EqualValues(t, int64(recording["send~"]),
		m.recorded(&trace.Event{Kind: trace.Send, Flags: trace.Estimated}, &trace.Event{Kind: trace.Wait}),
		"no length of the pair is known")
	assert.Zero(t, m.recorded(known, known), "nothing is estimated")
}

// TestEstimatesEven: what an estimated start takes from the time between calls, the next gap gives back.
func TestEstimatesEven(t *testing.T) {
	tr := &trace.Trace{Meta: trace.Meta{Ranks: 1, GapNS: 20}, End: &trace.End{}, Ranks: make([]trace.Rank, 1)}
	add := func(start int64, f trace.Flags) {
		tr.Ranks[0].Events = append(tr.Ranks[0].Events,
			trace.Event{Kind: trace.Barrier, Start: start, End: start + 10, Peer: trace.Any, Flags: f})
	}
	add(0, 0)
	add(25, trace.Estimated) // 15 ns later, 5 too early
	add(65, 0)               // 30 ns later, 5 too late
	add(105, 0)              // computes 10 ns
	add(120, 0)              // 5 ns later
	add(160, 0)              // 30 ns later: 5 of the 15 are still missing
	add(200, 0)              // computes 5 ns more
	r, err := New(tr, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"calc 5 ns", "calc 10 ns", "calc 5 ns"}, ops(r, 0))
}
