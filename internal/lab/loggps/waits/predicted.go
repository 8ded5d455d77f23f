package waits

import (
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
)

// Watch collects what a simulation does, for Predicted.
type Watch struct{ lanes [][]sim.Piece }

// Piece is for sim.Options.Watch. Of ranks with several CPUs it takes the first.
func (w *Watch) Piece(p sim.Piece) {
	for len(w.lanes) <= int(p.Rank) {
		w.lanes = append(w.lanes, nil)
	}
	if p.CPU == 0 {
		w.lanes[p.Rank] = append(w.lanes[p.Rank], p)
	}
}

// Predicted makes a run of a simulation that was watched. Place numbers the place of an operation.
func (w *Watch) Predicted(r *sim.Result, places []string, place func(graph.ID) uint32) *Run {
	m := &simulated{r, place, map[graph.ID]graph.ID{}}
	g := r.Graph()
	for id := range graph.ID(g.Len()) {
		for _, d := range g.Dependents(id) {
			if last, ok := m.last[d.ID()]; d.Dep() == graph.Awaits && (!ok || r.End(id) >= r.End(last)) {
				m.last[d.ID()] = id
			}
		}
	}
	run := &Run{Places: places, Ranks: make([][]Piece, g.Ranks())}
	for rank, lane := range w.lanes {
		pieces := make([]Piece, len(lane))
		behind := uint32(0) // the place of the call behind
		for i := len(lane) - 1; i >= 0; i-- {
			if pieces[i] = m.piece(lane[i]); pieces[i].Place == 0 {
				pieces[i].Place = behind
			}
			behind = pieces[i].Place
		}
		run.Ranks[rank] = pieces
	}
	return run
}

type simulated struct {
	*sim.Result
	place func(graph.ID) uint32
	last  map[graph.ID]graph.ID // by Wait: what it has awaited last
}

func (m *simulated) piece(s sim.Piece) Piece {
	p := Piece{From: s.From, To: s.To, Peer: -1, Activity: Calling}
	switch s.Cause {
	case sim.Compute, sim.Idle:
		p.Activity = Computing
	case sim.Turn:
		p.Activity = Off
	}
	if s.Op == sim.NoOp {
		return p
	}
	g, id := m.Graph(), s.Op
	if g.Op(id).Rank != s.Rank {
		id = m.Mate(id) // the receive of the message that the CPU works or waits for
	}
	p.Place = m.place(id)
	if last, ok := m.last[id]; ok {
		id = last
	}
	op := g.Op(id)
	if !op.Kind.Sends() && !op.Kind.Receives() {
		return p
	}
	mate := m.Mate(id)
	p.Peer = g.Op(mate).Rank
	if s.Cause != sim.RecvWait && s.Cause != sim.SendWait {
		p.Bytes, p.Messages = op.Size, 1
		return p
	}
	p.Late, p.PeerPlace, p.Cause = m.Start(mate), m.place(mate), LateSender
	if s.Cause == sim.SendWait {
		p.Cause = LateReceiver
	}
	return p
}
