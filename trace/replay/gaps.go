package replay

import (
	"slices"

	"github.com/gopvas/gopvas/trace"
)

// Recording is what recording adds to the time between two calls of a rank, in ns, by what they are:
// "recv send", or "recv" for what is behind any receive. Other gaps take what the trace says of
// itself. A ~ behind a kind says that one of its times is an estimate.
type Recording map[string]float64

// Gaps returns the recording of a job that computes nothing: all that lies between its calls is
// the cost of recording them.
func Gaps(t *trace.Trace) Recording {
	found := map[string][]float64{}
	for rank := range t.Ranks {
		var last *trace.Event
		for _, it := range tree(t.Ranks[rank].Events) {
			if !it.Kind.Call() {
				continue
			}
			if last != nil {
				gap := float64(it.Start - last.End)
				found[named(last)] = append(found[named(last)], gap)
				found[pair(last, it.Event)] = append(found[pair(last, it.Event)], gap)
			}
			last = it.Event
		}
	}
	r := Recording{}
	for name, gaps := range found {
		if len(gaps) >= fewGaps {
			r[name] = max(undisturbed(gaps), 0)
		}
	}
	return r
}

// undisturbed is the mean of all gaps but a twentieth, in which others on the machine may have had the CPU.
// A median would not do: gaps that end with an estimate are never below 0, and most are 0.
func undisturbed(gaps []float64) float64 {
	slices.Sort(gaps)
	sum, n := 0.0, len(gaps)-len(gaps)/20
	for _, gap := range gaps[:n] {
		sum += gap
	}
	return sum / float64(n)
}

// fewGaps is how many gaps are needed to say what is typical.
const fewGaps = 16

func named(e *trace.Event) string {
	if e.Flags&trace.Estimated != 0 {
		return e.Kind.String() + "~"
	}
	return e.Kind.String()
}

func pair(last, next *trace.Event) string { return named(last) + " " + named(next) }

// recorded returns what recording has added to the time between two calls; last is nil before the
// first one.
func (m *maker) recorded(last, next *trace.Event) int64 {
	if last == nil {
		return m.recording
	}
	for _, name := range []string{pair(last, next), named(last)} {
		if ns, ok := m.options.Recording[name]; ok {
			return int64(ns)
		}
	}
	return m.recording
}
