package pml

import (
	"github.com/gopvas/gopvas/trace"
)

// Waits are waits for one or more requests of an engine, one after the other, which take the lock
// once. Between Begin and End the goroutine calls nothing of the engine but these methods.
type Waits struct {
	e     *Engine
	call  call   // as it is recorded
	waits int    // requests waited for
	taken uint32 // of them those of the program
	vain  bool   // see Vain
}

// Begin takes the lock. It is called once.
func (w *Waits) Begin(e *Engine) {
	e.threads.lock()
	w.e, w.call = e, e.p.trace.begin(trace.WaitAll, -1)
}

// Wait is Request.Wait. The request is one of this engine, or stands for nothing.
func (w *Waits) Wait(r *Request) (Status, error) {
	op := r.active()
	if op == nil {
		return noStatus, nil
	}
	w.waits++
	if op.state != complete {
		var err error
		if op, err = r.await(w.e); op == nil {
			return noStatus, err
		}
	}
	if w.e.p.trace.on() {
		w.taken += w.e.p.trace.taken(op)
	}
	return w.e.p.collect(r)
}

// Messages are the operations of which Over and Drop are Wait: none if waits are recorded.
func (w *Waits) Messages() Table {
	if w.e.p.trace.on() {
		return Table{}
	}
	return w.e.Table()
}

// Complete tells whether a message of Messages is complete, and has ended without error. Then Drop takes it.
func (w *Waits) Complete(op *Op) bool { return op.state == complete && op.err == nil }

// Failed tells whether it is complete, and has ended with an error, or is pending.
func (w *Waits) Failed(op *Op) bool {
	return op.state == complete && op.err != nil || w.e.p.gone.Any() && w.e.p.pending((*operation)(op)) != nil
}

// Look makes progress as Test does. It returns false where Test has more to do: if an operator of the program makes the
// call, or a report of what ranks wait for is due. The lock may be let go meanwhile.
func (w *Waits) Look() bool {
	e := w.e
	if e.progress(); e.helper.help(&e.threads) {
		e.progress()
	}
	return !Operating() && !e.report.notice.PollsDue()
}

// Vain says that a test has found nothing: End yields.
func (w *Waits) Vain() { w.vain = true }

// Over waits until the message of a handle is complete, and tells whether it has ended without error, and
// nobody else has taken it. Then Drop takes it.
func (w *Waits) Over(op *Op, handle uintptr) bool {
	return op.state == complete && op.err == nil || w.over((*operation)(op), handle)
}

func (w *Waits) over(op *operation, handle uintptr) bool {
	if op.state != complete && w.e.wait(op, waiting) != nil {
		return false
	}
	return op.has(handle) && op.state == complete && op.err == nil
}

// Drop ends a message whose status was read: the request stands for nothing any more.
func (w *Waits) Drop(op *Op) { w.e.p.drop((*operation)(op)) }

// End lets the lock go.
func (w *Waits) End() {
	if w.waits > 0 {
		w.e.p.trace.endMany(w.call, w.taken)
	}
	w.e.threads.unlock()
	if w.vain {
		w.e.waits.Yield()
	}
}
