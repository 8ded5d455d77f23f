package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/trace"
)

// SendInit makes a persistent request for a send, which every Start begins anew. The
// buffer belongs to the caller while the request is not active.
func (e *Engine) SendInit(context uint32, dst, tag int, buf btl.Buffer, mode Mode) (Request, error) {
	e.lock()
	defer e.unlock()
	if err := e.checkTarget(dst, tag); err != nil {
		return Request{}, err
	}
	op := e.newOperation(sending, context, dst, tag)
	op.use(&buf)
	op.mode, op.mark = mode, elements(&buf)
	return persist(op), nil
}

// RecvInit makes a persistent request for a receive.
func (e *Engine) RecvInit(context uint32, src, tag int, buf btl.Buffer) (Request, error) {
	e.lock()
	defer e.unlock()
	if err := e.checkSource(src, tag); err != nil {
		return Request{}, err
	}
	op := e.newOperation(receiving, context, src, tag)
	op.use(&buf)
	return persist(op), nil
}

func persist(op *operation) Request {
	op.persistent = true
	return Request{op: op, generation: op.generation}
}

// Start begins the operation of a persistent request. It does not block. The buffer
// belongs to the operation until the request is complete.
func (e *Engine) Start(r *Request) error {
	e.lock()
	op, err := e.inactive(r)
	switch {
	case err != nil:
	case e.closed:
		err = ErrFinalized
	case op.kind == tasking:
		e.unlock()
		return e.launchTask(op)
	default:
		c := e.beginCall(trace.Start, -1)
		op.request, op.number = e.beginning, 0
		e.start(op)
		e.endCall(c, op, nil)
	}
	e.unlock()
	return err
}

// start begins an idle send or receive.
func (e *Engine) start(op *operation) {
	op.status, op.err = noStatus, nil
	if op.kind == sending {
		e.startSend(op, false)
		e.progress()
	} else {
		e.startReceive(op)
	}
}

// Free gives a persistent request that is not active back. It is the zero Request
// afterwards.
func (e *Engine) Free(r *Request) error {
	e.lock()
	defer e.unlock()
	op, err := e.inactive(r)
	if err != nil {
		return err
	}
	e.discard(op)
	*r = Request{}
	return nil
}

// inactive returns the operation of a persistent request that is not active.
func (e *Engine) inactive(r *Request) (*operation, error) {
	op := r.op
	switch {
	case op == nil || op.generation != r.generation || !op.persistent:
		return nil, ErrNotPersistent
	case op.state != idle:
		return nil, ErrActive
	}
	return op, nil
}
