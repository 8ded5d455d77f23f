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
			tr.Ranks[0].Events = append(tr.Ranks[0].Events, trace.Event{Kind: k, Start: start, End: at, Peer: trace.Any, Flags: f})
		}
		for range fewGaps + 1 {
			add(trace.Barrier, 30+computed, 0)
			add(trace.Barrier, 20+computed, trace.Estimated)
			add(trace.Wait, 40+computed, 0)
		}
		return tr
	}
	recording := Gaps(job(0))
	assert.Equal(t, Recording{
		"barrier": 20, "barrier barrier~": 20, "barrier~": 40, "barrier~ wait": 40, "wait": 30, "wait barrier": 30,
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
	assert.EqualValues(t, 30, m.recorded(&trace.Event{Kind: trace.Wait}, other), "an unknown pair: behind any such call")
	assert.EqualValues(t, 5, m.recorded(other, other))
}

// TestEstimatesEven: what an estimated start takes from the time between calls, the next gap gives back.
func TestEstimatesEven(t *testing.T) {
	tr := &trace.Trace{Meta: trace.Meta{Ranks: 1, GapNS: 20}, End: &trace.End{}, Ranks: make([]trace.Rank, 1)}
	add := func(start int64, f trace.Flags) {
		tr.Ranks[0].Events = append(tr.Ranks[0].Events, trace.Event{Kind: trace.Barrier, Start: start, End: start + 10, Peer: trace.Any, Flags: f})
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
