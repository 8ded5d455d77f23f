package trace

import (
	"cmp"
	"math"
	"slices"
)

// Summary is what a trace has, in numbers. Times are nanoseconds.
type Summary struct {
	Meta     Meta          `json:"job"`
	Duration int64         `json:"duration_ns"`
	Events   uint64        `json:"events"`
	Lost     uint64        `json:"lost"`
	Cut      string        `json:"cut,omitempty"`
	Unended  []int         `json:"unended,omitempty"` // ranks: see Trace.Unended
	Ranks    []RankSummary `json:"ranks"`
	Calls    []CallSummary `json:"calls"` // of all ranks, those with the longest time first
}

// RankSummary is what a rank has.
type RankSummary struct {
	Rank     int    `json:"rank"`
	Events   int    `json:"events"`
	Nodes    int    `json:"nodes"` // of graphs
	Lost     uint64 `json:"lost"`
	Time     int64  `json:"time_ns"`     // from the end of its first event to that of the last
	Calls    int64  `json:"calls_ns"`    // in calls
	Computed int64  `json:"computed_ns"` // between calls
	Stalled  int64  `json:"stalled_ns"`  // by the recording
	Sent     uint64 `json:"sent"`        // messages
	Bytes    uint64 `json:"sent_bytes"`
}

// CallSummary is what all calls of a kind have.
type CallSummary struct {
	Kind  string `json:"kind"`
	Calls int    `json:"calls"`
	Bytes uint64 `json:"bytes"`
	Time  int64  `json:"time_ns"`
	Most  int64  `json:"longest_ns"`
}

// Summary counts what the trace has.
func (t *Trace) Summary() Summary {
	s := Summary{Meta: t.Meta, Duration: t.duration(), Lost: t.Lost(), Unended: t.Unended()}
	if t.Cut != nil {
		s.Cut = t.Cut.Error()
	}
	var byKind [256]CallSummary
	for rank := range t.Ranks {
		r := t.Rank(rank).summary(&byKind)
		r.Rank = rank
		s.Events += uint64(r.Events + r.Nodes)
		s.Ranks = append(s.Ranks, r)
	}
	for k := range byKind {
		if c := &byKind[k]; c.Calls > 0 {
			c.Kind = Kind(k).String()
			s.Calls = append(s.Calls, *c)
		}
	}
	slices.SortStableFunc(s.Calls, func(a, b CallSummary) int { return cmp.Compare(b.Time, a.Time) })
	return s
}

// summary counts what a rank has. Time in which several goroutines are in calls counts once for the rank.
func (r *Rank) summary(byKind *[256]CallSummary) RankSummary {
	s := RankSummary{Events: len(r.Events), Nodes: len(r.Nodes), Lost: r.Lost}
	now := int64(math.MinInt64)
	for _, c := range r.Calls() {
		k := &byKind[c.Kind]
		k.Calls++
		k.Bytes += c.Bytes
		k.Time += c.Duration()
		k.Most = max(k.Most, c.Duration())
		s.Calls += max(c.End-max(c.Start, now), 0)
		now = max(now, c.End)
	}
	for i := range r.Events {
		e := &r.Events[i]
		switch e.Kind {
		case Stall:
			s.Stalled += e.Duration()
		case Send, Sent:
			if e.Message != 0 {
				s.Sent++
				s.Bytes += e.Bytes
			}
		}
	}
	if n := len(r.Events); n > 0 {
		s.Time = r.Events[n-1].End - r.Events[0].End
		s.Computed = max(s.Time-s.Calls-s.Stalled, 0)
	}
	return s
}

// Unended returns the ranks that began and did not reach Finalize: they were killed, have failed, or the job was ended.
// Of a trace that is not whole that is not known, and it returns none.
func (t *Trace) Unended() (ranks []int) {
	if t.Cut != nil || t.Lost() > 0 {
		return nil
	}
	for rank := range t.Ranks {
		begun, ended := false, false
		for e := range t.Events(rank) {
			begun = begun || e.Kind == Init
			ended = ended || e.Kind == Finalize
		}
		if begun && !ended {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// Calls returns the calls of the program in the order of their starts. Calls of which another
// call is made are left out, such as the messages of an exchange among neighbours.
func (r *Rank) Calls() []*Event {
	var list []*Event
	for i := range r.Events {
		e := &r.Events[i]
		if !e.Kind.Call() {
			continue
		}
		for e.Kind.Compound() && len(list) > 0 && list[len(list)-1].Start > e.Start {
			list = list[:len(list)-1] // it is within e, which has ended later
		}
		list = append(list, e)
	}
	if byStart := func(a, b *Event) int { return cmp.Compare(a.Start, b.Start) }; !slices.IsSortedFunc(list, byStart) {
		slices.SortStableFunc(list, byStart) // several goroutines were in calls at a time
	}
	return list
}
