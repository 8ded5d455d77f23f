package pml

import (
	"slices"

	"github.com/gopvas/gopvas/trace"
)

// EngineOf returns the engine of the requests, which are all of one rank; nil if none
// of them needs one: each stands for none, or for a send that was complete from the beginning.
func EngineOf(rs []Request) *Engine {
	for i := range rs {
		if e := rs[i].Engine(); e != nil {
			return e
		}
	}
	return nil
}

// AwaitAny blocks until one of the requests is complete, and returns its index. If several
// are, it is the first of them. It takes nothing: Take does, for all that are complete. The
// index is -1 if none of the requests stands for anything. If the error is ErrBusy, the index
// is of a request that is waited for elsewhere; if it is a *PendingError, of one that is pending.
func AwaitAny(rs []Request) (int, error) {
	e := EngineOf(rs)
	if e == nil {
		return slices.IndexFunc(rs, func(r Request) bool { return !r.None() }), nil
	}
	e.threads.lock()
	c := e.p.trace.begin(trace.WaitAny, -1)
	i, err := waitAny(e, rs)
	e.p.trace.endMany(c, 0)
	e.threads.unlock()
	return i, err
}

// waitAny returns the index of a complete request, -1 if none is active.
func waitAny(e *Engine, rs []Request) (int, error) {
	var w *waiter
	pending := -1
	for i := range rs {
		op := rs[i].active()
		switch {
		case op == nil || op.waiter != nil && op.waiter == w:
			continue
		case op.state == complete:
			unregister(e, rs[:i], w)
			return i, nil
		case op.waiter != nil:
			unregister(e, rs[:i], w)
			return i, ErrBusy
		case pending < 0 && e.p.pending(op) != nil:
			pending = i
		}
		if w == nil {
			w = e.line.New(op, waiting)
		} else {
			w.Any = true
		}
		op.waiter = w
	}
	if w == nil {
		return -1, nil
	}
	if pending >= 0 {
		unregister(e, rs, w)
		return pending, e.p.pending(rs[pending].active())
	}
	if err := MayWait(); err != nil {
		unregister(e, rs, w)
		return -1, err
	}
	e.waitFor(w)
	first := -1
	for i := range rs {
		if op := rs[i].active(); op != nil && op.state == complete && op.waiter == nil {
			first = i
			break
		}
	}
	unregister(e, rs, w)
	if first < 0 { // another goroutine has taken what was complete, or a receive is pending
		return waitAny(e, rs)
	}
	return first, nil
}

// unregister takes w, which may be nil, back from all that are not complete.
func unregister(e *Engine, rs []Request, w *waiter) {
	if w == nil {
		return
	}
	for i := range rs {
		if op := rs[i].active(); op != nil && op.waiter == w {
			op.waiter = nil
		}
	}
	e.line.Free(w)
}

// AllDone makes progress if that may help, and returns whether all requests that
// stand for something are complete. It takes nothing and does not block.
func AllDone(rs []Request) (done bool, err error) {
	e := EngineOf(rs)
	if e == nil {
		return true, nil
	}
	e.threads.lock()
	if done = incomplete(rs) == nil; !done {
		e.progress()
		if op := incomplete(rs); op == nil {
			done = true
		} else {
			err = MayWait()
			e.report.polls("test", op)
		}
	}
	e.threads.unlock()
	return done, err
}

// Pending returns the *PendingError of the first receive that has one, nil if none has.
func Pending(rs []Request) error {
	e := EngineOf(rs)
	if e == nil || e.Events() == 0 {
		return nil
	}
	e.threads.lock()
	defer e.threads.unlock()
	for i := range rs {
		if op := rs[i].active(); op != nil {
			if err := e.p.pending(op); err != nil {
				return err
			}
		}
	}
	return nil
}

// incomplete returns the first operation that is not complete, nil if there is none.
func incomplete(rs []Request) *operation {
	for i := range rs {
		if op := rs[i].active(); op != nil && op.state != complete {
			return op
		}
	}
	return nil
}
