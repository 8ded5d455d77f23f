package pml

import (
	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/trace"
)

// Waits are waits for several requests of an engine, one after the other, which take the lock
// once. Between BeginWaits and End the goroutine calls nothing of the engine but Wait.
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
		if err := w.e.wait(op, job.OpWait); err != nil {
			return noStatus, err
		}
	}
	if w.e.trace != nil {
		w.taken += w.e.traceTaken(op)
	}
	return w.e.collect(r)
}

// End lets the lock go.
func (w *Waits) End() {
	if w.e.trace != nil && w.waits > 0 {
		w.e.traceWaited(trace.WaitAll, w.start, w.taken)
	}
	w.e.unlock()
}
