package pml

import (
	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/trace"
)

// Waits are waits for one or more requests of an engine, one after the other, which take the lock
// once. Between BeginWaits and End the goroutine calls nothing of the engine but these methods.
type Waits struct {
	e     *Engine
	start uint64 // of the trace
	waits int    // requests waited for
	taken uint32 // of them those of the program
}

// BeginWaits takes the lock.
func (e *Engine) BeginWaits() Waits {
	e.lock()
	return Waits{e: e, start: e.traceWait()}
}

// Wait is Engine.Wait. The request is one of this engine, or stands for nothing.
func (w *Waits) Wait(r *Request) (Status, error) {
	op := r.active()
	if op == nil {
		return noStatus, nil
	}
	w.waits++
	if op.state != complete {
		var err error
		if op, err = w.e.awaitRequest(r); op == nil {
			return noStatus, err
		}
	}
	if w.e.trace != nil {
		w.taken += w.e.traceTaken(op)
	}
	return w.e.collect(r)
}

// Take is Wait for the message whose request has a handle at a place (see At), if it is complete
// and ended without error. Else it returns nil, and has done nothing. The status may be read until
// the next call; unit is the request's.
func (w *Waits) Take(place int, handle uintptr) (st *Status, unit uint32) {
	op := w.e.operation(place, handle)
	if op == nil || op.state != complete || !w.direct(op) {
		return nil, 0
	}
	return w.take(op)
}

// Await is Take, after the message has become complete.
func (w *Waits) Await(place int, handle uintptr) (st *Status, unit uint32) {
	op := w.e.operation(place, handle)
	if op == nil || !w.direct(op) {
		return nil, 0
	}
	if op.state != complete && (w.e.wait(op, job.OpWait) != nil || op.handle != handle) { // another goroutine may have taken it
		return nil, 0
	}
	return w.take(op)
}

// direct tells whether a wait for the operation only takes its status: a plain message, and nothing is traced.
func (w *Waits) direct(op *operation) bool { return op.plain() && w.e.trace == nil }

// take ends a complete operation, unless it has failed.
func (w *Waits) take(op *operation) (st *Status, unit uint32) {
	if op.err != nil {
		return nil, 0
	}
	w.e.discard(op)
	return &op.status, op.unit
}

// plain tells whether the operation is a message that ends with its wait.
func (op *operation) plain() bool { return op.kind <= receiving && !op.persistent }

// End lets the lock go.
func (w *Waits) End() {
	if w.e.trace != nil && w.waits > 0 {
		w.e.traceWaited(trace.WaitAll, w.start, w.taken)
	}
	w.e.unlock()
}
