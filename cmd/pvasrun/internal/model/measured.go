package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/lab/loggps/waits"
	"github.com/gopvas/gopvas/internal/lab/replay"
	"github.com/gopvas/gopvas/loggps/show"
	"github.com/gopvas/gopvas/loggps/sim"
	"github.com/gopvas/gopvas/trace"
)

// A measured is what a trace says of the time of ranks. Times are nanoseconds since all ranks
// were through Init, where a prediction begins, and end with Finalize.
type measured struct {
	run      *waits.Run
	report   *waits.Report
	messages []show.Message // if they are drawn
	calls    []string       // by show.Piece.Call
	took     []float64      // by rank
	ranks    []int          // that are looked at; nil: all
}

var kindOfCall = map[trace.Kind]show.Kind{
	trace.Send: show.Sending, trace.Recv: show.Receive,
	trace.Isend: show.Overhead, trace.Irecv: show.Overhead, trace.Start: show.Overhead, trace.Begin: show.Overhead,
	trace.Test: show.Overhead, trace.Probe: show.Overhead,
}

// measuredOf says what a trace has measured.
func measuredOf(t *trace.Trace) *measured {
	m := &measured{run: replay.Pieces(t)}
	for k := range 64 {
		name := ""
		if kind := trace.Kind(k); kind.Call() {
			name = kind.String()
		}
		m.calls = append(m.calls, name)
	}
	for _, pieces := range m.run.Ranks {
		took := 0.0
		if n := len(pieces); n > 0 {
			took = pieces[n-1].To
		}
		m.took = append(m.took, took)
	}
	return m
}

// drawn is the timeline with a lane for each rank.
func (m *measured) drawn() show.Timeline {
	line := show.Timeline{Name: "measured", Messages: m.messages}
	for _, pieces := range m.run.Ranks {
		lane, last := make([]show.Piece, 0, 2*len(pieces)), 0.0
		for i := range pieces {
			if p := &pieces[i]; p.From > last {
				lane = append(lane, show.Piece{From: last, To: p.From, Peer: -1})
			}
			lane, last = append(lane, shown(&pieces[i])), pieces[i].To
		}
		line.Lanes = append(line.Lanes, lane)
	}
	return line
}

// shown is a piece as the page shows it.
func shown(p *waits.Piece) show.Piece {
	s := show.Piece{From: p.From, To: p.To, Peer: -1}
	switch p.Activity {
	case waits.Off:
		s.Kind = show.Turn
	case waits.Calling, waits.File:
		s.Call, s.Site, s.Peer, s.Bytes = p.Call, p.Place, p.Peer, p.Bytes
		kind, ok := kindOfCall[trace.Kind(p.Call)]
		if s.Kind = kind; !ok && p.Activity == waits.Calling {
			s.Kind = show.Wait
		}
	}
	return s
}

// tracedMessages are the messages of which both ends are in the trace.
func tracedMessages(t *trace.Trace) []show.Message {
	zero, sent := replay.Zero(t), map[trace.Message]show.Message{}
	for rank := range t.Ranks {
		for e := range t.Events(rank) {
			if m, ok := e.Sends(rank); ok {
				sent[m] = show.Message{Src: m.From, Dst: m.To, Sent: float64(e.Start - zero), Bytes: int64(e.Bytes)}
			}
		}
	}
	var list []show.Message
	for rank := range t.Ranks {
		for e := range t.Events(rank) {
			m, received := e.Receives(rank)
			if s, ok := sent[m]; received && ok {
				s.Came = float64(e.End - zero)
				list = append(list, s)
			}
		}
	}
	slices.SortFunc(list, func(a, b show.Message) int { return cmp.Compare(a.Sent, b.Sent) })
	return list
}

// compare is the time of each rank as measured and as predicted. What a what-if changes is no error.
func (m *measured) compare(r *sim.Result, whatIf bool) show.Table {
	t := show.Table{
		Title:   "Measured and predicted",
		Note:    "From when all ranks are through Init to Finalize.",
		Columns: []string{"rank", "measured", "predicted", difference(whatIf)},
	}
	row := func(name string, was, is float64) {
		t.Rows = append(t.Rows, []string{name, show.Time(was), show.Time(is), deviation(was, is)})
	}
	row("slowest", slices.Max(m.took), r.Time())
	for rank, was := range m.took {
		if m.ranks == nil || slices.Contains(m.ranks, rank) {
			row(fmt.Sprint(rank), was, r.Finish[rank])
		}
	}
	return t
}

// difference names what lies between measured and predicted.
func difference(whatIf bool) string {
	if whatIf {
		return "change"
	}
	return "error"
}

func deviation(was, is float64) string {
	if was <= 0 {
		return ""
	}
	return fmt.Sprintf("%+.1f %%", 100*(is/was-1))
}
