package pml

import (
	"cmp"
	"context"
	"fmt"

	"github.com/gopvas/gopvas/internal/msg/pml/wait"
	"github.com/gopvas/gopvas/trace"
)

// Engine returns the engine of the request's operation; nil if it stands for none, or
// for a send that was complete from the beginning.
func (r *Request) Engine() *Engine {
	if r.op == nil {
		return nil
	}
	return r.op.engine
}

// Wait blocks until the request is complete, and returns the status of a receive
// and the error of either. The request then is the zero Request, unless it is
// persistent: then it can be started again. If the error is ErrBusy nothing has
// happened, and the request is as before.
func (r *Request) Wait() (Status, error) {
	e := r.Engine()
	if e == nil {
		*r = Request{}
		return noStatus, nil
	}
	e.threads.lock()
	c := e.p.trace.begin(trace.Wait, -1)
	op, err := r.await(e)
	st := noStatus
	if op != nil {
		e.p.trace.end(c, op, op.err)
		st, err = e.p.collect(r)
	}
	e.threads.unlock()
	return st, err
}

// await waits for the operation of a request, and returns it. It returns nil if the request stands
// for none: also when another goroutine has taken the result before this one had the lock again.
func (r *Request) await(e *Engine) (*operation, error) {
	op := r.active()
	for op != nil && op.state != complete {
		if err := e.wait(op, waiting); err != nil {
			return nil, err
		}
		op = r.active()
	}
	return op, nil
}

// WaitContext is Wait that gives up when ctx is done. Then it returns the context's
// error, and the request goes on as before: its buffer still belongs to it, and it must be
// waited for again (after Cancel, perhaps).
func (r *Request) WaitContext(ctx context.Context) (Status, error) {
	e := r.Engine()
	if e == nil {
		*r = Request{}
		return noStatus, nil
	}
	e.threads.lock()
	defer e.threads.unlock()
	op := r.active()
	if op == nil {
		return noStatus, nil
	}
	c := e.p.trace.begin(trace.Test, -1)
	if op.state != complete {
		e.progress()
	}
	for op.state != complete {
		if err := op.waitContext(ctx, e); err != nil {
			return noStatus, err
		}
		if op = r.active(); op == nil { // as in await
			return noStatus, nil
		}
	}
	e.p.trace.end(c, op, nil)
	return e.p.collect(r)
}

// waitUnder is wait that gives up when ctx is done.
func waitUnder(ctx context.Context, e *Engine, op *operation) error {
	if ctx.Done() == nil {
		return e.wait(op, "")
	}
	for op.state != complete {
		if err := op.waitContext(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (op *operation) waitContext(ctx context.Context, e *Engine) error {
	if op.waiter != nil {
		return ErrBusy
	}
	if err := cmp.Or(MayWait(), e.p.pending(op)); err != nil {
		return err
	}
	// Not from the pool: the function below may still run when we have left.
	w := wait.NewWaiter(op, waiting)
	w.Bounded = ctx.Done() != nil
	op.waiter = w
	stop := context.AfterFunc(ctx, func() {
		e.threads.lock()
		if !w.Done() {
			e.line.Signal(w)
		}
		e.threads.unlock()
	})
	e.waitFor(w)
	stop()
	if !interrupted(op, w) {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cmp.Or(e.p.pending(op), fmt.Errorf("gave up waiting: %w", cause))
	}
	return e.p.pending(op) // nil: the caller waits again
}

// Test returns whether the request is complete, and if so what Wait would return. It
// makes progress and does not block.
func (r *Request) Test() (st Status, done bool, err error) { return r.test(true) }

// Take is Test without progress: for what AwaitAny and others have found complete.
func (r *Request) Take() (st Status, done bool, err error) { return r.test(false) }

func (r *Request) test(progress bool) (st Status, done bool, err error) {
	e := r.Engine()
	if e == nil {
		*r = Request{}
		return noStatus, true, nil
	}
	e.threads.lock()
	c := e.p.trace.begin(trace.Test, -1)
	op := r.active()
	if op != nil && op.state != complete && progress {
		e.progress()
		if op.state != complete && e.helper.help(&e.threads) {
			e.progress()
			op = r.active()
		}
	}
	switch {
	case op == nil:
		st, done = noStatus, true
	case op.state == complete && op.waiter == nil:
		if progress {
			e.p.trace.end(c, op, nil)
		} else if e.p.trace.on() {
			e.p.trace.taken(op)
		}
		st, err = e.p.collect(r)
		done = true
	default:
		st, err = noStatus, e.p.pending(op)
		if progress {
			err = cmp.Or(err, MayWait())
		}
		e.report.polls("test", op)
	}
	e.threads.unlock()
	if !done && progress {
		e.waits.Yield()
	}
	return st, done, err
}

// Peek returns what Test would, and leaves the request as it is: it can be waited for as
// before. It makes progress and does not block.
func (r *Request) Peek() (st Status, done bool, err error) {
	e := r.Engine()
	if e == nil {
		return noStatus, true, nil
	}
	e.threads.lock()
	op := r.active()
	if op != nil && op.state != complete {
		e.progress()
	}
	if done = op == nil || op.state == complete; op == nil {
		st = noStatus
	} else if st, err = op.status, op.err; !done {
		e.report.polls("get status", op)
		st, err = noStatus, cmp.Or(e.p.pending(op), MayWait())
	}
	e.threads.unlock()
	if !done {
		e.waits.Yield()
	}
	return st, done, err
}

// Active tells whether the request stands for an operation that was begun.
func (r *Request) Active() bool {
	e := r.Engine()
	if e == nil {
		return r.op != nil
	}
	e.threads.lock()
	active := r.active() != nil
	e.threads.unlock()
	return active
}

// Leave has an operation go on that nobody will wait for. The request stands for nothing
// afterwards.
func (r *Request) Leave() {
	if e := r.Engine(); e != nil {
		e.Within(func(in Inside) { in.Leave(r) })
	}
	*r = Request{}
}

// Cancel ends a receive that matches no message yet: its Wait then is over, with
// Status.Cancelled. It does nothing to one that has its message, so Wait tells which
// it was. Of sends it ends those to this rank itself, without a receive. Others go on: ErrCancelSend. That holds also
// for those that wait for room at their receivers: whether one does depends on the module and on the moment.
func (r *Request) Cancel() error {
	e := r.Engine()
	if e == nil {
		return r.over(ErrCancelSend)
	}
	e.threads.lock()
	defer e.threads.unlock()
	if op := r.active(); op != nil {
		return e.p.cancel(op)
	}
	return nil
}

// over returns an error for a send that was complete from the beginning, nil for a request that stands for none.
func (r *Request) over(err error) error {
	if r.op == nil {
		return nil
	}
	return err
}

// Start begins the operation of a persistent request. It does not block. The buffer
// belongs to the operation until the request is complete.
func (r *Request) Start() error {
	e := r.Engine()
	if e == nil {
		return ErrNotPersistent
	}
	e.threads.lock()
	op, err := r.inactive()
	switch {
	case err != nil:
	case e.p.closed:
		err = ErrFinalized
	case op.kind == tasking:
		e.threads.unlock()
		return e.launchTask(op)
	default:
		c := e.p.trace.begin(trace.Start, -1)
		e.p.start(op)
		if op.kind == sending {
			e.progress()
		}
		e.p.trace.end(c, op, nil)
	}
	e.threads.unlock()
	return err
}

// Free gives a persistent request that is not active back. It is the zero Request
// afterwards.
func (r *Request) Free() error {
	e := r.Engine()
	if e == nil {
		return ErrNotPersistent
	}
	e.threads.lock()
	defer e.threads.unlock()
	op, err := r.inactive()
	if err != nil {
		return err
	}
	e.p.discard(op)
	*r = Request{}
	return nil
}

// inactive returns the operation of a persistent request that is not active.
func (r *Request) inactive() (*operation, error) {
	op := r.op
	switch {
	case op == nil || op.generation != r.generation || !op.persistent:
		return nil, ErrNotPersistent
	case op.state != idle:
		return nil, ErrActive
	}
	return op, nil
}
