package sim

import "github.com/gopvas/gopvas/loggps/graph"

// The rules of LogGPS. The state of a Wait has in end, until it completes, when the last
// of what it awaits did.

func (e *engine) stepLogGPS(ev event, id uint32, op *graph.Op) {
	switch ev.phase() {
	case phaseArrive:
		if e.link(op).Eager(op.Size) {
			e.book(id, op, e.delivery(id, op))
		}
		if r, ok := e.message(id, op); ok {
			e.matched(id, r, op, makeRef(id, atArrival))
		}
	case phaseHandle:
		e.handle(ev, id, op)
	case phaseAck:
		e.acknowledged(ev, id, op)
	case phaseFirst:
		e.firstByte(id, op)
	case phaseData:
		e.data(ev, id, op)
	default:
		e.call(ev, id, op)
	}
}

func (e *engine) call(ev event, id uint32, op *graph.Op) {
	switch op.Kind {
	case graph.Send, graph.Isend:
		e.send(ev, id, op)
	case graph.Recv, graph.Irecv:
		e.recv(ev, id, op)
	case graph.Wait:
		e.waitCall(ev, id, op)
	default:
		e.calc(ev, id, op)
	}
}

// send begins a send: equations (4) to (6).
func (e *engine) send(ev event, id uint32, op *graph.Op) {
	ln := e.laneOf(op.Rank, op.CPU)
	if !e.enter(ev, op.Rank, ln, nil, e.ops[id].cause()) {
		return
	}
	e.log.began(ev, id, 0, ln, nil)
	p, k := e.link(op), float64(op.Size)
	eager := p.Eager(op.Size)
	work := p.Call()
	if eager && op.Kind == graph.Send {
		work = p.T1(k)
	}
	from := e.occupy(op.Rank, ln, work, Overhead, makeRef(id, afterStart))
	e.start(id, from)
	e.msgs++
	if !eager {
		e.push(from+p.KnownAfter(op.Size), id, phaseArrive)
		return
	}
	first, alone := from+p.KnownAfter(op.Size), from+p.T1(k)+p.Transit(op.Size)
	there := e.leaves(id, op, alone)
	if there > alone { // both may be beyond all numbers
		first += there - alone
	}
	e.push(first, id, phaseArrive)
	e.complete(id, from+p.T1(k))
	e.sends(op.Rank, from, there)
}

// recv begins a receive: equations (7) to (10). A blocking one takes its CPU only when the
// message is there.
func (e *engine) recv(ev event, id uint32, op *graph.Op) {
	from, ln := e.now, e.laneOf(op.Rank, op.CPU)
	if op.Kind == graph.Recv {
		e.idle(ev, op.Rank, ln, e.ops[id].cause()) // for what was before
	} else {
		if !e.enter(ev, op.Rank, ln, nil, e.ops[id].cause()) {
			return
		}
		e.log.began(ev, id, 0, ln, nil)
		from = e.occupy(op.Rank, ln, e.callWork(op), Overhead, makeRef(id, afterStart))
	}
	e.start(id, from)
	if x, ok := e.receive(id, op); ok {
		e.matched(x, id, e.g.Op(graph.ID(x)), makeRef(id, atStart))
	}
}

// callWork is the overhead of a call that moves nothing: o' of the link to its peer, or of
// the first link if it has none.
func (e *engine) callWork(op *graph.Op) float64 {
	if len(e.links) == 1 || op.Kind == graph.Wait || op.Peer == graph.Any {
		return e.links[0].Call()
	}
	return e.links[e.opt.linkOf(op.Peer, op.Rank, op.NIC)].Call()
}

// matched goes on when a message, or its request, and its receive have met; by is the
// moment that was needed last for that.
func (e *engine) matched(id, r uint32, op *graph.Op, by ref) {
	e.pair(id, r)
	p := e.link(op)
	met := max(e.now, e.ops[r].at) // a shared CPU may still be changing to the receiver
	if !p.Eager(op.Size) {
		e.log.set(id, 1, by)
		e.push(met, id, phaseHandle)
		return
	}
	there := e.delivery(id, op)
	if there >= met {
		by = makeRef(id, atDelivery)
	}
	e.log.set(r, 1, by)
	e.push(max(there, met), id, phaseData)
}

// own tells whether the operation does the work of its message on its CPU, and returns
// that CPU. The work of a nonblocking one is done aside.
func (e *engine) own(id uint32) (*graph.Op, *lane, bool) {
	op := e.g.Op(graph.ID(id))
	return op, e.laneOf(op.Rank, op.CPU), op.Kind == graph.Send || op.Kind == graph.Recv
}

// handle makes the receiver take the request, T4, and acknowledge it, the first part of T5.
func (e *engine) handle(ev event, id uint32, op *graph.Op) {
	r, ln, own := e.own(e.ops[id].mate())
	p := e.link(op)
	work := 2 * p.Control()
	if own && !e.enter(ev, r.Rank, ln, nil, RecvWait) {
		return
	}
	from := e.now
	if own {
		e.log.began(ev, id, 1, ln, nil)
		from = e.occupy(r.Rank, ln, work, Overhead, makeRef(id, afterHandle))
	}
	e.log.set(id, 2, makeRef(id, atAck))
	e.push(from+work+p.Flight()-p.Control(), id, phaseAck)
}

// acknowledged makes the sender take the acknowledgement and send the data: the end of T5,
// and T1'.
func (e *engine) acknowledged(ev event, id uint32, op *graph.Op) {
	_, ln, own := e.own(id)
	if own && !e.enter(ev, op.Rank, ln, nil, SendWait) {
		return
	}
	p, k := e.link(op), float64(op.Size)
	work := p.Control() + p.T1Long(k)
	from := e.now
	if own {
		e.log.began(ev, id, 2, ln, nil)
		from = e.occupy(op.Rank, ln, work, Overhead, makeRef(id, afterAck))
	}
	e.complete(id, from+work)
	e.log.set(e.ops[id].mate(), 1, makeRef(id, atDelivery))
	alone := from + work + p.Transit(op.Size)
	e.sends(op.Rank, from, alone)
	if first := alone - occupied(p, op.Size); e.takesWire(op) && first > e.now {
		e.push(first, id, phaseFirst)
		return
	}
	e.push(e.book(id, op, alone), id, phaseData)
}

// firstByte books the wire for the data of a rendezvous: see wire.
func (e *engine) firstByte(id uint32, op *graph.Op) {
	e.push(e.book(id, op, e.ops[id].end+e.link(op).Transit(op.Size)), id, phaseData)
}

// data makes the receiver take the message: T3 or T3'.
func (e *engine) data(ev event, id uint32, op *graph.Op) {
	mate := e.ops[id].mate()
	r, ln, own := e.own(mate)
	p := e.link(op)
	if e.putOff(ev, id, op, p) {
		return
	}
	work := p.T3(float64(op.Size))
	if !p.Eager(op.Size) {
		work = p.T3Long(float64(op.Size))
	}
	if own && !e.enter(ev, r.Rank, ln, nil, RecvWait) {
		return
	}
	from := e.now
	if own {
		e.log.began(ev, mate, 1, ln, nil)
		from = e.occupy(r.Rank, ln, work, Overhead, makeRef(mate, afterData))
	}
	e.complete(mate, from+work)
}

// waitCall begins a Wait, which takes o' at least: equation (11).
func (e *engine) waitCall(ev event, id uint32, op *graph.Op) {
	ln := e.laneOf(op.Rank, op.CPU)
	if !e.enter(ev, op.Rank, ln, nil, e.ops[id].cause()) {
		return
	}
	e.log.began(ev, id, 0, ln, nil)
	work := e.callWork(op)
	from := e.occupy(op.Rank, ln, work, Overhead, makeRef(id, afterStart))
	e.start(id, from)
	if e.pend[id] == 0 {
		e.waited(id)
	}
}

// arrived takes one from what a Wait awaits.
func (e *engine) arrived(d graph.Dependent, t float64, cause Cause, by ref) {
	id := uint32(d.ID())
	s := &e.ops[id]
	if t >= s.end {
		s.end = t
		s.setAwaited(cause)
		e.log.set(id, 1, by)
	}
	if left := e.pend[id] - 1; left > 0 {
		e.pend[id] = left
		return
	}
	if delete(e.pend, id); s.status() == begun {
		e.waited(id)
	}
}

// waited ends a Wait.
func (e *engine) waited(id uint32) {
	s := &e.ops[id]
	own := s.at + e.callWork(e.g.Op(graph.ID(id)))
	s.setCause(s.awaited())
	if own >= s.end {
		s.setCause(Idle)
		e.log.set(id, 1, makeRef(id, afterStart))
	}
	e.complete(id, max(own, s.end))
}

// calc computes; on a shared CPU in slices.
func (e *engine) calc(ev event, id uint32, op *graph.Op) {
	ln := e.laneOf(op.Rank, op.CPU)
	s := &e.ops[id]
	if !e.enter(ev, op.Rank, ln, nil, s.cause()) {
		return
	}
	work, how := float64(op.Size)*e.opt.Compute, Compute
	if op.Kind == graph.Calc && op.Tag == graph.InCall {
		how = Overhead
	}
	if op.Kind == graph.Wait || how == Overhead && e.opt.Ideal {
		work = 0
	}
	first := s.status() == waiting
	if !first {
		work = e.left[id]
		delete(e.left, id)
	}
	rest := 0.0
	if e.shared != nil && e.opt.Share.Slice > 0 && work > e.opt.Share.Slice {
		work, rest = e.opt.Share.Slice, work-e.opt.Share.Slice
	}
	if first {
		e.log.began(ev, id, 0, ln, nil)
	}
	from := e.occupy(op.Rank, ln, work, how, makeRef(id, afterStart))
	if first {
		e.start(id, from)
	}
	if rest > 0 {
		e.left[id] = rest
		e.push(ln.free, id, phaseStart)
		return
	}
	e.complete(id, ln.free)
}
