package replay

import (
	"slices"
	"strconv"

	"github.com/gopvas/gopvas/trace"
)

// Recording is what recording adds to the time between two calls of a rank, in ns, by what they are:
// "recv send", or "recv" for what is behind any receive. Other gaps take what the trace says of
// itself. A ~ behind a kind says that one of its times is an estimate. What a gap takes depends on the length of the
// message: an estimate shares its time with the gap, and a copy leaves less in the caches. So pairs also come with
// lengths: "recv~ send~ 2000".
type Recording map[string]float64

// Gaps returns the recording of a job that computes nothing: all that lies between its calls is
// the cost of recording them.
func Gaps(t *trace.Trace) Recording {
	found, lengths := map[string][]float64{}, map[string][]float64{}
	for rank := range t.Ranks {
		var last *trace.Event
		items, _, _ := partsOf(t.Rank(rank).Events)
		for _, it := range items {
			if !it.Kind.Call() {
				continue
			}
			if last != nil {
				gap, between := float64(it.Start-last.End), pair(last, it.Event)
				found[named(last)] = append(found[named(last)], gap)
				found[between] = append(found[between], gap)
				if bytes := decidingLength(last, it.Event); bytes > 0 {
					name := between + " " + strconv.FormatUint(bytes, 10)
					lengths[name] = append(lengths[name], gap)
				}
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
	for name, gaps := range lengths { // the first ones may be from before times were estimated
		if late := gaps[len(gaps)/2:]; len(late) >= fewGaps {
			r[name] = max(undisturbed(late), 0)
		}
	}
	return r
}

// decidingLength returns the length of the message that the gap between two calls depends on: of the one whose time is
// an estimate, else of the longer one.
func decidingLength(last, next *trace.Event) uint64 {
	switch {
	case last.Flags&trace.Estimated != 0:
		return last.Bytes
	case next.Flags&trace.Estimated != 0:
		return next.Bytes
	}
	return max(last.Bytes, next.Bytes)
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
	if last == nil || len(m.options.Recording) == 0 {
		return m.recording
	}
	between := pair(last, next)
	if list := m.lengths[between]; list != nil {
		return int64(list.at(decidingLength(last, next)))
	}
	for _, name := range []string{between, named(last)} {
		if ns, ok := m.options.Recording[name]; ok {
			return int64(ns)
		}
	}
	return m.recording
}
