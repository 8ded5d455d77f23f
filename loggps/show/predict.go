package show

import (
	"cmp"
	"slices"

	"github.com/gopvas/gopvas/loggps/explain"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
)

// A Prediction is a simulated program.
type Prediction struct {
	Result *sim.Result
	Path   *explain.Path // nil: ranks share CPUs, so none was recorded
	Timeline
}

// Calls are the names of the calls of a prediction, by Piece.Call.
var Calls = []string{"", "send", "recv", "calc", "isend", "irecv", "wait"}

var kindOf = [sim.NumCauses]Kind{
	sim.Compute: Compute, sim.Overhead: Overhead, sim.SendWait: Sending, sim.RecvWait: Receive,
	sim.Gap: Overhead, sim.Turn: Turn, sim.Idle: Other,
}

// Predict simulates a graph. If it is to be drawn it keeps what each rank does, which is larger than the graph. For
// that it watches the simulation, beside opt.Watch. Of ranks with several CPUs it shows the first. Errors are those of
// sim.Run and explain.CriticalPath.
func Predict(g *graph.Graph, opt sim.Options, drawn bool) (*Prediction, error) {
	p := &Prediction{}
	opt.Record = opt.Share == nil
	if drawn {
		p.draw(g, &opt)
	}
	var err error
	if p.Result, err = sim.Run(g, opt); err != nil {
		return nil, err
	}
	if drawn {
		p.Messages = messagesOf(p.Result)
	}
	if !opt.Record {
		return p, nil
	}
	if p.Path, err = explain.CriticalPath(p.Result); err != nil || !drawn {
		return p, err
	}
	steps, err := p.Result.Path(p.Path.Rank)
	for _, s := range steps {
		p.hop(g.Op(s.Op), s)
	}
	return p, err
}

// draw keeps what the ranks of a simulation do.
func (p *Prediction) draw(g *graph.Graph, opt *sim.Options) {
	p.Timeline = Timeline{Name: "predicted", Lanes: make([][]Piece, g.Ranks())}
	watch := opt.Watch
	opt.Watch = func(s sim.Piece) {
		if watch != nil {
			watch(s)
		}
		if s.CPU == 0 {
			p.Lanes[s.Rank] = append(p.Lanes[s.Rank], pieceOf(g, s))
		}
	}
}

func pieceOf(g *graph.Graph, s sim.Piece) Piece {
	piece := Piece{From: s.From, To: s.To, Kind: kindOf[s.Cause], Peer: -1}
	if s.Op == sim.NoOp {
		return piece
	}
	op := g.Op(s.Op)
	piece.Call, piece.Site = uint8(op.Kind)+1, op.Site
	if op.Kind.Sends() || op.Kind.Receives() {
		piece.Peer, piece.Bytes = op.Peer, op.Size
		if op.Rank != s.Rank { // the receiver handles the request of a rendezvous
			piece.Peer, piece.Call = op.Rank, uint8(graph.Recv)+1
			piece.Site = 0
		}
	}
	return piece
}

func messagesOf(r *sim.Result) []Message {
	var list []Message
	g := r.Graph()
	for id := range graph.ID(g.Len()) {
		if op := g.Op(id); op.Kind.Sends() {
			list = append(list, Message{op.Rank, op.Peer, r.Start(id), r.End(r.Mate(id)), op.Size})
		}
	}
	slices.SortFunc(list, func(a, b Message) int { return cmp.Compare(a.Sent, b.Sent) })
	return list
}

// hop adds a step to the path: on the rank that works, or from the sender to the receiver.
func (p *Prediction) hop(op *graph.Op, s sim.Step) {
	rank := op.Rank
	if op.Kind.Sends() && s.What == "acknowledge" {
		rank = op.Peer
	}
	if s.What == "message" || s.What == "acknowledgement" {
		return // from the end of the one before to the beginning of the next
	}
	if n := len(p.Timeline.Path); n > 0 {
		if last := &p.Timeline.Path[n-1]; last.Rank == rank && last.To >= s.From-1e-9 {
			last.To = s.To
			return
		}
	}
	p.Timeline.Path = append(p.Timeline.Path, Hop{rank, s.From, s.To})
}
