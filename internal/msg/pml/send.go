package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/trace"
)

// Send sends buf to rank dst and returns when buf can be used again, and if the
// mode is Synchronous, when the receive has begun. A short standard send does not
// wait for the receiver unless that is far behind.
//
// The error is, or wraps, a *RankError, *TagError, *LostError (the receiver has
// gone) or ErrFinalized.
func (e *Engine) Send(context uint32, dst, tag int, buf []byte, mode Mode) error {
	e.threads.lock()
	if mode == Standard && e.short != nil && e.p.simple(dst, tag) && e.short.SendShort(dst, context, int32(tag), buf) {
		e.threads.unlock()
		return nil
	}
	err := e.sendAndWait(context, dst, tag, &btl.Buffer{Bytes: buf}, mode)
	e.threads.unlock()
	return err
}

// SendBuffer is Send from a buffer that may have a layout.
func (e *Engine) SendBuffer(context uint32, dst, tag int, buf btl.Buffer, mode Mode) error {
	e.threads.lock()
	err := e.sendAndWait(context, dst, tag, &buf, mode)
	e.threads.unlock()
	return err
}

func (e *Engine) sendAndWait(context uint32, dst, tag int, buf *btl.Buffer, mode Mode) error {
	bytes := -1
	if mode == Standard {
		bytes = buf.Len()
	}
	c := e.p.trace.begin(trace.Send, bytes)
	op, err := e.p.send(context, dst, tag, elements(buf), buf, mode, false)
	switch {
	case err != nil:
		e.p.trace.end(c, nil, err)
	case op != sent:
		_, err = e.finish(op, c)
	}
	return err
}

// Isend begins a send and does not wait. buf must not be written to until
// the request is complete. Arguments are checked at once; that the receiver has gone
// is told by the wait.
func (e *Engine) Isend(context uint32, dst, tag int, buf []byte, mode Mode) (Request, error) {
	e.threads.lock()
	if mode == Standard && e.short != nil && e.p.simple(dst, tag) && e.short.SendShort(dst, context, int32(tag), buf) {
		e.threads.unlock()
		return Request{op: sent}, nil
	}
	r, err := e.isend(context, dst, tag, &btl.Buffer{Bytes: buf}, mode)
	e.threads.unlock()
	return r, err
}

// IsendBuffer is Isend from a buffer that may have a layout.
func (e *Engine) IsendBuffer(context uint32, dst, tag int, buf btl.Buffer, mode Mode) (Request, error) {
	e.threads.lock()
	r, err := e.isend(context, dst, tag, &buf, mode)
	e.threads.unlock()
	return r, err
}

func (e *Engine) isend(context uint32, dst, tag int, buf *btl.Buffer, mode Mode) (Request, error) {
	c := e.p.trace.begin(trace.Isend, -1)
	op, err := e.p.send(context, dst, tag, elements(buf), buf, mode, true)
	if err == nil && op != sent {
		e.progress()
	}
	e.p.trace.end(c, op, err)
	return request(op, err)
}

// SendInit makes a persistent request for a send, which every Start begins anew. The
// buffer belongs to the caller while the request is not active.
func (e *Engine) SendInit(context uint32, dst, tag int, buf btl.Buffer, mode Mode) (Request, error) {
	e.threads.lock()
	defer e.threads.unlock()
	if err := e.p.checkTarget(dst, tag); err != nil {
		return Request{}, err
	}
	op := e.p.newOperation(sending, context, dst, tag)
	op.use(&buf)
	op.mode, op.mark = mode, elements(&buf)
	return persist(op), nil
}
