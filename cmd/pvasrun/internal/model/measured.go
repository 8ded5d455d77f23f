package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/loggps/waits"
	"github.com/gopvas/gopvas/internal/trace/replay"
	"github.com/gopvas/gopvas/loggps/show"
	"github.com/gopvas/gopvas/loggps/sim"
	"github.com/gopvas/gopvas/trace"
)

// A measured is what a trace says of the time of ranks. Times are nanoseconds since all ranks
// were through Init, where a prediction begins, and end with Finalize.
type measured struct {
	show.Timeline // without lanes: they are drawn at last
	run           *waits.Run
	calls         []string  // by show.Piece.Call
	took          []float64 // by rank
}

var kindOfCall = map[trace.Kind]show.Kind{
	trace.Send: show.Sending, trace.Recv: show.Receive,
	trace.Isend: show.Overhead, trace.Irecv: show.Overhead, trace.Start: show.Overhead, trace.Begin: show.Overhead,
	trace.Test: show.Overhead, trace.Probe: show.Overhead,
}

// measuredTimeline says what a trace has measured.
func measuredTimeline(t *trace.Trace) *measured {
	m := &measured{Timeline: show.Timeline{Name: "measured"}, run: replay.Pieces(t)}
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
	m.Messages = tracedMessages(t, replay.Zero(t))
	return m
}

// drawn is the timeline with a lane for each rank.
func (m *measured) drawn() show.Timeline {
	line := m.Timeline
	for _, pieces := range m.run.Ranks {
		lane := make([]show.Piece, len(pieces))
		for i := range pieces {
			lane[i] = shown(&pieces[i])
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
		row(fmt.Sprint(rank), was, r.Finish[rank])
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
