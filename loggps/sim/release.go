package sim

import "github.com/gopvas/gopvas/loggps/graph"

// start tells an operation's dependents that it has begun.
func (e *engine) start(id uint32, at float64) {
	s := &e.ops[id]
	s.at = at
	s.setStatus(begun)
	for _, d := range e.g.Dependents(graph.ID(id)) {
		if d.Dep() != graph.Irequires {
			break // those come first
		}
		e.release(d, at, Idle, makeRef(id, atStart))
	}
}

// complete ends an operation and tells its dependents.
func (e *engine) complete(id uint32, end float64) {
	s := &e.ops[id]
	s.end = end
	s.setStatus(done)
	e.done++
	op := e.g.Op(graph.ID(id))
	cause := e.causeAfter(op, s)
	if end > e.laneOf(op.Rank, op.CPU).free &&
		(end > e.finish[op.Rank] || end == e.finish[op.Rank] && op.Kind == graph.Wait) {
		e.finish[op.Rank], e.tail[op.Rank] = end, pending{cause, graph.ID(id)}
	}
	for _, d := range e.g.Dependents(graph.ID(id)) {
		switch {
		case d.Dep() == graph.Irequires:
		case d.Dep() == graph.Awaits && e.pend != nil:
			e.arrived(d, end, cause, makeRef(id, atEnd))
		default:
			e.release(d, end, cause, makeRef(id, atEnd))
		}
	}
}

// causeAfter says what a CPU has waited for that is idle until the operation completes.
func (e *engine) causeAfter(op *graph.Op, s *state) Cause {
	switch {
	case op.Kind.Receives():
		return RecvWait
	case op.Kind.Sends() && !e.link(op).Eager(op.Size):
		return SendWait
	case op.Kind == graph.Wait:
		return s.cause()
	}
	return Idle
}

// release takes one dependency from an operation, which has held it until time t.
func (e *engine) release(d graph.Dependent, t float64, cause Cause, by ref) {
	id := uint32(d.ID())
	s := &e.ops[id]
	if t >= s.at {
		s.at = t
		s.setCause(cause)
		s.setLink(uint32(by.id()))
		e.log.set(id, 0, by)
	}
	if s.own--; s.need() == 0 {
		e.addReady(id)
	}
}

func (e *engine) addReady(id uint32) {
	rank := e.g.Op(graph.ID(id)).Rank
	l := &e.ready[0]
	if len(l.ids) > 0 && l.rank != rank {
		l = &e.ready[1]
	}
	l.rank = rank
	l.ids = append(l.ids, id)
}

// flush numbers the operations that have become ready: lower ranks first, of a rank sends,
// receives, then the others.
func (e *engine) flush() {
	a, b := &e.ready[0], &e.ready[1]
	if len(b.ids) > 0 && b.rank < a.rank {
		a, b = b, a
	}
	e.enqueueAll(a)
	e.enqueueAll(b)
}

func (e *engine) enqueueAll(l *readyList) {
	switch len(l.ids) {
	case 0:
		return
	case 1:
		e.enqueue(l.ids[0])
	default:
		for class := range 3 {
			for _, id := range l.ids {
				if classOf(e.g.Op(graph.ID(id)).Kind) == class {
					e.enqueue(id)
				}
			}
		}
	}
	l.ids = l.ids[:0]
}

func classOf(k graph.Kind) int {
	switch {
	case k.Sends():
		return 0
	case k.Receives():
		return 1
	}
	return 2
}
