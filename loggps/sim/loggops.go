package sim

import (
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
)

// The rules of LogGOPS. The state of a send has in end, until its receive is found, when
// the receiver has handled the message.

// more is the bytes that cost by size: the first one is part of o and g.
func more(op *graph.Op) float64 { return float64(max(op.Size-1, 0)) }

// The costs, in one place for the simulation and for the critical path.
func sendWork(p *loggps.Params, op *graph.Op) float64 { return p.O + more(op)*p.Oss }
func recvWork(p *loggps.Params, op *graph.Op) float64 { return p.O + more(op)*max(p.Oss, p.Gs) }
func nicWork(p *loggps.Params, op *graph.Op) float64  { return p.Gap + more(op)*p.Gs }
func flight(p *loggps.Params) float64                 { return p.O + p.L }

func (e *engine) stepLogGOPS(ev event, id uint32, op *graph.Op) {
	switch {
	case ev.phase() == phaseArrive:
		e.arriveLogGOPS(ev, id, op)
	case op.Kind.Sends():
		e.sendLogGOPS(ev, id, op)
	case op.Kind.Receives():
		e.recvLogGOPS(id, op)
	default:
		e.calc(ev, id, op)
	}
}

func (e *engine) sendLogGOPS(ev event, id uint32, op *graph.Op) {
	ln, out := e.laneOf(op.Rank, op.CPU), &e.nicOf(op.Rank, op.NIC).out
	if !e.enter(ev, op.Rank, ln, out, e.ops[id].cause()) {
		return
	}
	e.log.began(ev, id, 0, ln, out)
	p := e.link(op)
	from := e.occupy(op.Rank, ln, sendWork(p, op), Overhead, makeRef(id, afterStart))
	e.start(id, from)
	out.free, out.last = from+nicWork(p, op), makeRef(id, gapAfterStart)
	e.push(from+flight(p), id, phaseArrive)
	e.msgs++
	if p.Eager(op.Size) {
		e.complete(id, ln.free)
	}
}

// arriveLogGOPS has the receiver handle a message, whether or not it waits for it.
func (e *engine) arriveLogGOPS(ev event, id uint32, op *graph.Op) {
	ln, in := e.laneOf(op.Peer, op.CPU), &e.nicOf(op.Peer, op.NIC).in
	if !e.enter(ev, op.Peer, ln, in, RecvWait) {
		return
	}
	e.log.set(id, 1, makeRef(id, atArrival))
	e.log.began(ev, id, 1, ln, in)
	p := e.link(op)
	from := e.occupy(op.Peer, ln, recvWork(p, op), Overhead, makeRef(id, afterData))
	in.free, in.last = from+nicWork(p, op), makeRef(id, gapAfterData)
	handled := ln.free
	r, ok := e.message(id, op)
	if !ok {
		e.ops[id].end = handled // for its receive; sent sets the end again
		return
	}
	e.pair(id, r)
	e.sent(id, op, p, makeRef(id, atData))
	e.log.set(r, 1, makeRef(id, afterData))
	e.complete(r, handled)
}

func (e *engine) recvLogGOPS(id uint32, op *graph.Op) {
	e.start(id, e.now)
	x, ok := e.receive(id, op)
	if !ok {
		return
	}
	e.pair(x, id)
	send := e.g.Op(graph.ID(x))
	handled := e.ops[x].end
	e.sent(x, send, e.link(send), makeRef(id, atStart))
	e.log.set(id, 1, makeRef(id, atStart))
	if handled > e.now {
		e.log.set(id, 1, makeRef(x, afterData))
	}
	e.complete(id, max(e.now, handled))
}

func (e *engine) pair(send, receive uint32) {
	e.ops[send].setMate(receive)
	e.ops[receive].setMate(send)
}

// sent ends a send whose receive has been found now.
func (e *engine) sent(id uint32, op *graph.Op, p *loggps.Params, by ref) {
	s := &e.ops[id]
	own := s.at + sendWork(p, op)
	if p.Eager(op.Size) {
		s.end = own
		return
	}
	if own > e.now {
		by = makeRef(id, afterStart)
	}
	e.log.set(id, 2, by)
	e.complete(id, max(own, e.now))
}
