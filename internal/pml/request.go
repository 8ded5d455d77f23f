package pml

import (
	"context"
	"fmt"

	"github.com/gopvas/gopvas/internal/pml/wait"
	"github.com/gopvas/gopvas/trace"
)

// Wait blocks until the request is complete, and returns the status of a receive
// and the error of either. The request then is the zero Request, unless it is
// persistent: then it can be started again. If the error is ErrBusy nothing has
// happened, and the request is as before.
func (e *Engine) Wait(r *Request) (Status, error) {
	if r.op == sent {
		*r = Request{}
		return noStatus, nil
	}
	e.lock()
	c := e.beginCall(trace.Wait, -1)
	op, err := e.awaitRequest(r)
	st := noStatus
	if op != nil {
		e.endCall(c, op, op.err)
		st, err = e.collect(r)
	}
	e.unlock()
	return st, err
}

// awaitRequest waits for the operation of a request, and returns it. It returns nil if the request stands
// for none: also when another goroutine has taken the result before this one had the lock again.
func (e *Engine) awaitRequest(r *Request) (*operation, error) {
	op := r.active()
	for op != nil && op.state != complete {
		if err := e.wait(op, waiting); err != nil {
			return nil, err
		}
		op = r.active()
	}
	return op, nil
}

// collect takes the result of a complete request.
func (e *Engine) collect(r *Request) (Status, error) {
	op := r.op
	st, err := op.status, op.err
	switch {
	case op.persistent:
		op.state = idle
	case op != sent:
		e.discard(op)
		fallthrough
	default:
		*r = Request{}
	}
	return st, err
}

// WaitContext is Wait that gives up when ctx is done. Then it returns the context's
// error, and the request goes on as before: its buffer still belongs to it, and it must be
// waited for again (after Cancel, perhaps).
func (e *Engine) WaitContext(ctx context.Context, r *Request) (Status, error) {
	e.lock()
	defer e.unlock()
	op := r.active()
	if op == nil {
		return noStatus, nil
	}
	c := e.beginCall(trace.Test, -1)
	if op.state != complete {
		e.progress()
	}
	for op.state != complete {
		if err := e.waitContext(ctx, op); err != nil {
			return noStatus, err
		}
		if op = r.active(); op == nil { // as in awaitRequest
			return noStatus, nil
		}
	}
	e.endCall(c, op, nil)
	return e.collect(r)
}

func (e *Engine) waitContext(ctx context.Context, op *operation) error {
	if op.waiter != nil {
		return ErrBusy
	}
	if err := MayWait(); err != nil {
		return err
	}
	// Not from the pool: the function below may still run when we have left.
	w := wait.NewWaiter(op, waiting)
	w.Bounded = ctx.Done() != nil
	op.waiter = w
	stop := context.AfterFunc(ctx, func() {
		e.lock()
		if !w.Done() {
			e.line.Signal(w)
		}
		e.unlock()
	})
	e.waitFor(w)
	stop()
	if op.waiter != w { // it was complete, and may be another operation already
		return nil
	}
	op.waiter = nil
	return fmt.Errorf("gave up waiting: %w", context.Cause(ctx))
}

// Test returns whether the request is complete, and if so what Wait would return. It
// makes progress and does not block.
func (e *Engine) Test(r *Request) (st Status, done bool, err error) {
	return e.test(r, true)
}

// Take is Test without progress: for what AwaitAny and others have found complete.
func (e *Engine) Take(r *Request) (st Status, done bool, err error) {
	return e.test(r, false)
}

// Active tells whether the request stands for an operation that was begun.
func (r *Request) Active() bool {
	e := r.Engine()
	if e == nil {
		return r.op != nil
	}
	e.lock()
	active := r.active() != nil
	e.unlock()
	return active
}

func (e *Engine) test(r *Request, progress bool) (st Status, done bool, err error) {
	e.lock()
	c := e.beginCall(trace.Test, -1)
	op := r.active()
	if op != nil && op.state != complete && progress {
		e.progress()
		if op.state != complete && e.help() {
			e.progress()
			op = r.active()
		}
	}
	switch {
	case op == nil:
		st, done = noStatus, true
	case op.state == complete && op.waiter == nil:
		if progress {
			e.endCall(c, op, nil)
		} else if e.trace != nil {
			e.traceTaken(op)
		}
		st, err = e.collect(r)
		done = true
	default:
		if st = noStatus; progress {
			err = MayWait()
		}
		if e.notice.PollsDue() {
			e.sayPolls("test", op.asked(), op)
		}
	}
	e.unlock()
	if !done && progress {
		e.GiveWay()
	}
	return st, done, err
}

// AwaitAny blocks until one of the requests is complete, and returns its index. If several
// are, it is the first of them. It takes nothing: Take does, for all that are complete. The
// index is -1 if none of the requests stands for anything. If the error is ErrBusy, the index
// is of a request that is waited for elsewhere.
func (e *Engine) AwaitAny(rs []Request) (int, error) {
	e.lock()
	c := e.beginCall(trace.WaitAny, -1)
	i, err := e.waitAny(rs)
	e.endMany(c, 0)
	e.unlock()
	return i, err
}

// waitAny returns the index of a complete request, -1 if none is active.
func (e *Engine) waitAny(rs []Request) (int, error) {
	var w *waiter
	for i := range rs {
		op := rs[i].active()
		switch {
		case op == nil || op.waiter != nil && op.waiter == w:
			continue
		case op.state == complete:
			e.unregister(rs[:i], w)
			return i, nil
		case op.waiter != nil:
			e.unregister(rs[:i], w)
			return i, ErrBusy
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
	if err := MayWait(); err != nil {
		e.unregister(rs, w)
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
	e.unregister(rs, w)
	if first < 0 { // another goroutine has taken what was complete
		return e.waitAny(rs)
	}
	return first, nil
}

// unregister takes w, which may be nil, back from all that are not complete.
func (e *Engine) unregister(rs []Request, w *waiter) {
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
func (e *Engine) AllDone(rs []Request) (done bool, err error) {
	e.lock()
	if done = incomplete(rs) == nil; !done {
		e.progress()
		if op := incomplete(rs); op == nil {
			done = true
		} else if err = MayWait(); e.notice.PollsDue() {
			e.sayPolls("test", op.asked(), op)
		}
	}
	e.unlock()
	return done, err
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

// Cancel ends a receive that matches no message yet: its Wait then is over, with
// Status.Cancelled. It does nothing to one that has its message, so Wait tells which
// it was. Of sends it ends those to this rank itself, without a receive. Others go on: ErrCancelSend. That holds also
// for those that wait for room at their receivers: whether one does depends on the module and on the moment.
func (e *Engine) Cancel(r *Request) error {
	e.lock()
	defer e.unlock()
	op := r.active()
	switch {
	case op == nil:
		return nil
	case op.kind == sending:
		return e.cancelSend(op)
	case op.state == posted:
		e.match.In(op.context).Withdraw(&op.Receive)
		op.status.Cancelled = true
		e.complete(op, nil)
	}
	return nil
}

// cancelSend is Cancel of a send.
func (e *Engine) cancelSend(op *operation) error {
	if op.state != held {
		return ErrCancelSend
	}
	msg := e.messageOf(op)
	if msg == nil { // a matched probe has it
		return ErrCancelSend
	}
	e.taken(msg)
	e.messages.put(msg)
	op.status.Cancelled = true
	e.complete(op, nil)
	return nil
}
