package sim

import (
	"errors"
	"slices"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
)

// A Step is a piece of the critical path: time that one operation took, on its CPU or in
// the network, for a cost of the model. The steps of a path touch one another.
type Step struct {
	Op       graph.ID
	What     string // of the operation, in words
	From, To float64
	Link     int          // whose parameters the cost is made of
	Cost     loggps.Terms // how often each of them
	Residual float64      // that is added to them, ns
	Calc     float64      // computation, ns
}

// ErrNotRecorded says that the simulation did not keep what the question needs.
var ErrNotRecorded = errors.New(
	"sim: the simulation has not recorded what operations waited for; set Record in its options")

// Path returns the critical path to the end of a rank, in order of time: what each moment
// waited for last, back to the start. The costs of the steps add up to the rank's time.
func (r *Result) Path(rank int) ([]Step, error) {
	var steps []Step
	if err := r.Back(rank, func(s *Step) { steps = append(steps, *s) }); err != nil {
		return nil, err
	}
	slices.Reverse(steps)
	now := 0.0
	for i := range steps {
		s := &steps[i]
		s.From = now
		now += s.Cost.Time(r.links[s.Link]) + s.Residual + s.Calc
		s.To = now
	}
	return steps, nil
}

// Back goes along the critical path to the end of a rank, from there to the start, and keeps none of it. Steps have no
// times. A step is valid until the next one.
func (r *Result) Back(rank int, step func(*Step)) error {
	if r.log == nil {
		return ErrNotRecorded
	}
	for at := r.last(rank); at.moment() != atZero; {
		before, cost := r.before(at)
		if cost.what != "" {
			s := r.step(at, cost)
			step(&s)
		}
		at = before
	}
	return nil
}

// last is the moment at which a rank is done.
func (r *Result) last(rank int) ref {
	span := r.g.Of(rank)
	var at ref
	latest := -1.0
	for id := span.First; id < span.End; id++ {
		if r.ops[id].end > latest {
			latest, at = r.ops[id].end, makeRef(uint32(id), atEnd)
		}
	}
	if busy := r.lastBusy[rank]; r.Finish[rank] > latest {
		return busy
	}
	return at
}

// cost is why a moment comes after another: a time that is linear in the parameters of a
// link, or a computation. No words: they are the same moment.
type cost struct {
	what string
	link *graph.Op // the send whose link it is; nil: the call of op
	time func(p *loggps.Params) float64
	calc float64
	more float64 // that is added, because the message crossed another, or began before that which it follows
}

func (r *Result) step(at ref, c cost) Step {
	s := Step{Op: at.id(), What: c.what, Calc: c.calc}
	if c.time != nil {
		s.Link = r.linkIndex(c.link)
		p := r.links[s.Link]
		s.Cost = loggps.TermsOf(p, func(q loggps.Params) float64 { return c.time(&q) })
		s.Residual = c.more
		if p.Residual != nil {
			s.Residual += c.time(&p) - s.Cost.Time(p)
		}
	}
	return s
}

func (r *Result) linkIndex(send *graph.Op) int {
	switch {
	case len(r.links) == 1 || send == nil || send.Kind == graph.Wait || send.Peer == graph.Any:
		return 0
	case send.Kind.Receives():
		return r.opt.linkOf(send.Peer, send.Rank, send.NIC)
	}
	return r.opt.linkOf(send.Rank, send.Peer, send.NIC)
}

// before returns the moment that a moment waited for last, and the cost between them.
func (r *Result) before(at ref) (ref, cost) {
	id, op := uint32(at.id()), r.g.Op(at.id())
	eager := op.Kind.Sends() && r.links[r.linkIndex(op)].Eager(op.Size)
	if r.opt.Mode == LogGOPS {
		return r.beforeLogGOPS(at.moment(), id, op, eager)
	}
	return r.beforeLogGPS(at.moment(), id, op, eager)
}

func (r *Result) beforeLogGOPS(moment, id uint32, op *graph.Op, eager bool) (ref, cost) {
	by, start := r.log.of(id), makeRef(id, atStart)
	gap := func(p *loggps.Params) float64 { return nicWork(p, op) }
	switch moment {
	case atStart:
		return by[0], cost{}
	case atEnd:
		switch {
		case op.Kind.Receives():
			return by[1], cost{}
		case op.Kind.Sends() && !eager:
			return by[2], cost{}
		}
		return makeRef(id, afterStart), cost{}
	case afterStart:
		if !op.Kind.Sends() {
			return start, r.calcCost(op)
		}
		return start, cost{"send", op, func(p *loggps.Params) float64 { return sendWork(p, op) }, 0, 0}
	case atArrival:
		return start, cost{"message", op, flight, 0, 0}
	case atData:
		return by[1], cost{}
	case afterData:
		return makeRef(id, atData), cost{"receive", op, r.recvCost(op), 0, 0}
	case gapAfterStart:
		return start, cost{"gap", op, gap, 0, 0}
	case gapAfterData:
		return makeRef(id, atData), cost{"gap", op, gap, 0, 0}
	}
	panic("sim: a moment that LogGOPS does not have") // a defect of this package
}

// recvCost is recvWork with the larger of O and G chosen, so that it is linear.
func (r *Result) recvCost(op *graph.Op) func(p *loggps.Params) float64 {
	if p := &r.links[r.linkIndex(op)]; p.Oss > p.Gs {
		return func(p *loggps.Params) float64 { return p.O + more(op)*p.Oss }
	}
	return func(p *loggps.Params) float64 { return p.O + more(op)*p.Gs }
}

func (r *Result) calcCost(op *graph.Op) cost {
	if op.Kind == graph.Wait {
		return cost{}
	}
	return cost{what: "computation", calc: float64(op.Size) * r.opt.Compute}
}

func (r *Result) beforeLogGPS(moment, id uint32, op *graph.Op, eager bool) (ref, cost) {
	by, start, k := r.log.of(id), makeRef(id, atStart), float64(op.Size)
	alone := func(p *loggps.Params) float64 { return p.T1(k) + p.Transit(op.Size) }
	switch moment {
	case atStart:
		return by[0], cost{}
	case atGone:
		if late, ok := r.gone[id]; ok {
			return makeRef(late.last, atGone), cost{"gap of the sender", op,
				func(p *loggps.Params) float64 { return occupied(p, op.Size) }, 0, 0}
		}
		return start, cost{"message", op, alone, 0, 0}
	case atEnd:
		return r.beforeEnd(id, op, eager)
	case afterStart:
		return start, r.callCost(op, eager)
	case atArrival:
		return start, cost{"request", op, func(p *loggps.Params) float64 { return p.KnownAfter(op.Size) }, 0, 0}
	case atDelivery:
		if q, ok := r.queued[id]; ok {
			return makeRef(q.last, atDelivery), cost{"share of the wire", op,
				func(p *loggps.Params) float64 { return occupied(p, op.Size) }, 0, -q.early - r.crossed[q.last]}
		}
		if _, late := r.gone[id]; late {
			return makeRef(id, atGone), cost{}
		}
		if eager {
			return start, cost{"message", op, alone, 0, r.crossed[id]}
		}
		return makeRef(id, afterAck), cost{"message", op,
			func(p *loggps.Params) float64 { return p.Transit(op.Size) }, 0, r.crossed[id]}
	case afterHandle:
		return by[1], cost{"acknowledge", op, func(p *loggps.Params) float64 { return 2 * p.Control() }, 0, 0}
	case atAck:
		return makeRef(id, afterHandle), cost{"acknowledgement", op,
			func(p *loggps.Params) float64 { return p.Flight() - p.Control() }, 0, 0}
	case afterAck:
		return by[2], cost{"send", op, func(p *loggps.Params) float64 { return p.Control() + p.T1Long(k) }, 0, 0}
	case afterData:
		return by[1], r.takeCost(id)
	}
	panic("sim: a moment that LogGPS does not have") // a defect of this package
}

func (r *Result) beforeEnd(id uint32, op *graph.Op, eager bool) (ref, cost) {
	start, k := makeRef(id, atStart), float64(op.Size)
	switch {
	case op.Kind.Receives():
		return r.log.by[1][id], r.takeCost(id)
	case op.Kind == graph.Wait:
		return r.log.by[1][id], cost{}
	case op.Kind == graph.Calc:
		return makeRef(id, afterStart), cost{}
	case eager:
		return start, cost{"send", op, func(p *loggps.Params) float64 { return p.T1(k) }, 0, 0}
	}
	return makeRef(id, afterAck), cost{}
}

// callCost is what an operation occupies its CPU with when it starts.
func (r *Result) callCost(op *graph.Op, eager bool) cost {
	switch {
	case op.Kind == graph.Calc:
		return r.calcCost(op)
	case op.Kind == graph.Send && eager:
		return cost{"send", op, func(p *loggps.Params) float64 { return p.T1(float64(op.Size)) }, 0, 0}
	}
	return cost{op.Kind.String(), op, func(p *loggps.Params) float64 { return p.Call() }, 0, 0}
}

// takeCost is what a receive takes for its message.
func (r *Result) takeCost(id uint32) cost {
	send := r.g.Op(r.Mate(graph.ID(id)))
	k := float64(send.Size)
	if r.links[r.linkIndex(send)].Eager(send.Size) {
		return cost{"receive", send, func(p *loggps.Params) float64 { return p.T3(k) }, 0, 0}
	}
	return cost{"receive", send, func(p *loggps.Params) float64 { return p.T3Long(k) }, 0, 0}
}
