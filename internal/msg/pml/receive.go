package pml

import (
	"context"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/trace"
)

// Recv receives a message from rank src, or AnySource, with this tag, or AnyTag,
// into buf, and returns when it is there. A shorter message fills the first bytes
// of buf; of a longer one the rest is lost, and the error is a *TruncateError.
//
// Other errors are, or wrap, a *RankError, *TagError, ErrFinalized, or a *LostError:
// src has gone and has sent no such message; or src is AnySource, nothing has come,
// and some rank has gone without Finalize, or all other ranks have gone.
func (e *Engine) Recv(context uint32, src, tag int, buf []byte) (Status, error) {
	e.threads.lock()
	if e.short != nil && !e.waits.Watching() && e.quiet() && e.p.comesFirst(context, src, tag) {
		n, got, ok := e.short.TakeShort(min(shortLooks, e.waits.Polls()), src, context, int32(tag), buf)
		if ok {
			e.threads.unlock()
			return Status{Source: src, Tag: int(got), Bytes: uint64(n)}, nil
		}
	}
	st, err := e.recv(context, src, tag, &btl.Buffer{Bytes: buf})
	e.threads.unlock()
	return st, err
}

// shortLooks is how often Recv looks for a short message: for some microseconds.
const shortLooks = 1000

// RecvBuffer is Recv into a buffer that may have a layout.
func (e *Engine) RecvBuffer(context uint32, src, tag int, buf btl.Buffer) (Status, error) {
	e.threads.lock()
	st, err := e.recv(context, src, tag, &buf)
	e.threads.unlock()
	return st, err
}

func (e *Engine) recv(context uint32, src, tag int, buf *btl.Buffer) (Status, error) {
	c := e.p.trace.begin(trace.Recv, -1)
	op := &e.p.fast
	if c.fast = e.receiveFast(context, src, tag, buf); !c.fast {
		var err error
		if op, err = e.p.receive(context, src, tag, buf); err != nil {
			e.p.trace.end(c, nil, err)
			return noStatus, err
		}
	}
	return e.finish(op, c)
}

// RecvUnder is RecvBuffer that gives up when ctx is done. It does not if its message has come: none is lost.
func RecvUnder(ctx context.Context, e *Engine, of uint32, src, tag int, buf btl.Buffer) (Status, error) {
	e.threads.lock()
	defer e.threads.unlock()
	c := e.p.trace.begin(trace.Recv, -1)
	op := &e.p.fast
	if c.fast = e.receiveFast(of, src, tag, &buf); !c.fast {
		var err error
		if op, err = e.p.receive(of, src, tag, &buf); err == nil {
			err = waitUnder(ctx, e, op)
		}
		switch {
		case err == nil:
		case op == nil:
			e.p.trace.end(c, nil, err)
			return noStatus, err
		case op.state == posted:
			e.p.giveUp(op)
			return noStatus, final(err)
		}
	}
	return e.finish(op, c)
}

// quiet tells whether a blocking receive may look for its message: nobody else waits, and no task needs progress.
func (e *Engine) quiet() bool { return e.waits.Polls() != 0 && !e.line.HasOwner() && e.tasks.none() }

// receiveFast is the short way of a blocking receive from a named rank. It polls for the message without posting the
// receive, and fills it as the message comes by. It returns true if it has; the operation then is complete or has a
// transfer underway. It ends as soon as another goroutine wants the lock, or a rank goes.
//
// The operation is the protocol's own for this purpose. If it is not idle, a receive of an operator has it, which steps
// aside until it is complete (waitRefused).
func (e *Engine) receiveFast(context uint32, src, tag int, buf *btl.Buffer) bool {
	if !e.quiet() || !e.p.expect(context, src, tag, buf) {
		return false
	}
	for range e.waits.Begin(false) {
		came := e.p.lookFast()
		if e.waits.Watching() && e.p.awaited != nil && !e.waits.GoOn(came > 0) {
			break
		}
		if e.p.awaited == nil {
			return true
		}
		if e.threads.wanted() || e.p.gone.News() {
			break
		}
	}
	e.p.unexpect()
	return false
}

// Irecv begins a receive and does not wait. buf must not be read or written
// until the request is complete.
func (e *Engine) Irecv(context uint32, src, tag int, buf []byte) (Request, error) {
	e.threads.lock()
	if !e.p.trace.on() && uint(src) < uint(e.p.size) && e.p.passes(src) && uint(tag) <= MaxTag {
		if c := e.p.match.In(context); !c.Unexpected() { // it is simple: to be posted, and nothing is wrong
			op := e.p.newOperation(receiving, context, src, tag)
			op.buf.Bytes = buf
			op.state = posted
			c.Post(&op.Receive)
			e.threads.unlock()
			return Request{op: op, generation: op.generation}, nil
		}
	}
	r, err := e.irecv(context, src, tag, &btl.Buffer{Bytes: buf})
	e.threads.unlock()
	return r, err
}

// IrecvBuffer is Irecv into a buffer that may have a layout.
func (e *Engine) IrecvBuffer(context uint32, src, tag int, buf btl.Buffer) (Request, error) {
	e.threads.lock()
	r, err := e.irecv(context, src, tag, &buf)
	e.threads.unlock()
	return r, err
}

func (e *Engine) irecv(context uint32, src, tag int, buf *btl.Buffer) (Request, error) {
	c := e.p.trace.begin(trace.Irecv, -1)
	op, err := e.p.receive(context, src, tag, buf)
	e.p.trace.end(c, op, err)
	return request(op, err)
}

// RecvInit makes a persistent request for a receive.
func (e *Engine) RecvInit(context uint32, src, tag int, buf btl.Buffer) (Request, error) {
	e.threads.lock()
	defer e.threads.unlock()
	if err := e.p.checkSource(src, tag); err != nil {
		return Request{}, err
	}
	op := e.p.newOperation(receiving, context, src, tag)
	op.use(&buf)
	return persist(op), nil
}
