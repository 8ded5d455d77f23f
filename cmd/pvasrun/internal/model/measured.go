package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/loggps/show"
	"github.com/gopvas/gopvas/loggps/sim"
	"github.com/gopvas/gopvas/trace"
)

// A measured is what a trace says of the time of ranks. Times are nanoseconds since all ranks
// were through Init, where a prediction begins, and end with Finalize.
type measured struct {
	show.Timeline
	calls []string  // by show.Piece.Call
	sites []string  // by show.Piece.Site
	took  []float64 // by rank
}

var kindOfCall = map[trace.Kind]show.Kind{
	trace.Send: show.Sending, trace.Recv: show.Receive,
	trace.Isend: show.Overhead, trace.Irecv: show.Overhead, trace.Start: show.Overhead, trace.Begin: show.Overhead,
	trace.Test: show.Overhead, trace.Probe: show.Overhead,
}

// measuredTimeline makes the timeline of a trace.
func measuredTimeline(t *trace.Trace) *measured {
	m := &measured{Timeline: show.Timeline{Name: "measured"}, sites: []string{""}}
	for k := range 64 {
		name := ""
		if kind := trace.Kind(k); kind.Call() {
			name = kind.String()
		}
		m.calls = append(m.calls, name)
	}
	zero := int64(0)
	for rank := range t.Ranks {
		from, _ := fromInit(&t.Ranks[rank])
		zero = max(zero, from)
	}
	sites := map[string]uint32{}
	for rank := range t.Ranks {
		r := &t.Ranks[rank]
		m.Lanes = append(m.Lanes, m.lane(r, zero, sites))
		_, to := fromInit(r)
		m.took = append(m.took, float64(max(to-zero, 0)))
	}
	m.Messages = tracedMessages(t, zero)
	return m
}

// fromInit is from the end of Init to the beginning of Finalize, as far as the trace has them.
func fromInit(r *trace.Rank) (from, to int64) {
	for i := range r.Events {
		e := &r.Events[i]
		switch {
		case e.Kind == trace.Init:
			from = e.End
		case e.Kind == trace.Finalize:
			return from, e.Start
		}
		to = max(to, e.End)
	}
	return from, to
}

// lane is the calls of a rank and what it computes between them.
func (m *measured) lane(r *trace.Rank, zero int64, sites map[string]uint32) []show.Piece {
	_, to := fromInit(r)
	var calls []*trace.Event
	for i := range r.Events {
		if e := &r.Events[i]; e.Kind.Call() && e.Kind != trace.Init && e.Kind != trace.Finalize &&
			e.Flags&trace.Inside == 0 {
			calls = append(calls, e)
		}
	}
	slices.SortStableFunc(calls, func(a, b *trace.Event) int { return cmp.Compare(a.Start, b.Start) })
	lane := make([]show.Piece, 0, 2*len(calls)+1)
	now := zero
	until := func(end int64) {
		if end > now {
			lane = append(lane,
				show.Piece{From: float64(now - zero), To: float64(end - zero), Kind: show.Compute, Peer: -1})
			now = end
		}
	}
	for _, e := range calls {
		until(e.Start)
		end := min(e.End, to)
		if end <= now {
			continue // within the call before, or before all were through Init
		}
		kind, ok := kindOfCall[e.Kind]
		switch {
		case e.Kind.File():
			kind = show.Compute
		case !ok:
			kind = show.Wait
		}
		p := show.Piece{From: float64(now - zero), To: float64(end - zero), Kind: kind, Call: uint8(e.Kind),
			Peer: e.Peer, Bytes: int64(e.Bytes)}
		if e.Kind.Collective() {
			p.Peer = -1
		}
		if e.Site > 0 && int(e.Site) < len(r.Sites) {
			p.Site = m.site(r.Sites[e.Site], sites)
		}
		lane = append(lane, p)
		now = end
	}
	until(to)
	return lane
}

func (m *measured) site(name string, sites map[string]uint32) uint32 {
	n, ok := sites[name]
	if !ok {
		n = uint32(len(m.sites))
		sites[name] = n
		m.sites = append(m.sites, name)
	}
	return n
}

// tracedMessages are the messages of which both ends are in the trace.
func tracedMessages(t *trace.Trace, zero int64) []show.Message {
	sent := t.Sent()
	var list []show.Message
	for rank := range t.Ranks {
		for i := range t.Ranks[rank].Events {
			e := &t.Ranks[rank].Events[i]
			m, received := e.Receives(rank)
			if s := sent[m]; received && s != nil {
				list = append(list,
					show.Message{Src: m.From, Dst: m.To, Sent: float64(s.Start - zero), Came: float64(e.End - zero),
						Bytes: int64(s.Bytes)})
			}
		}
	}
	slices.SortFunc(list, func(a, b show.Message) int { return cmp.Compare(a.Sent, b.Sent) })
	return list
}

// compare is the time of each rank as measured and as predicted.
func (m *measured) compare(r *sim.Result) show.Table {
	t := show.Table{
		Title:   "Measured and predicted",
		Note:    "From when all ranks are through Init to Finalize. The error is that of the prediction.",
		Columns: []string{"rank", "measured", "predicted", "error"},
	}
	row := func(name string, was, is float64) {
		t.Rows = append(t.Rows, []string{name, show.Time(was), show.Time(is), deviation(was, is)})
	}
	row("slowest", slices.Max(m.took), r.Time())
	for rank, was := range m.took {
		row(fmt.Sprint(rank), was, r.Finish[rank])
	}
	return t
}

func deviation(was, is float64) string {
	if was <= 0 {
		return ""
	}
	return fmt.Sprintf("%+.1f %%", 100*(is/was-1))
}
