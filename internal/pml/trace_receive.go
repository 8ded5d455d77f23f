package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/trace/recorder"
	"github.com/gopvas/gopvas/trace"
)

// tracedRecv is Recv.
func (e *Engine) tracedRecv(context uint32, src, tag int, buf *btl.Buffer) (Status, error) {
	e.lock()
	start, site := e.trace.BeginWait(trace.Recv)
	op, err := &e.fast, error(nil)
	if !e.receiveFast(op, context, src, tag, buf) {
		op, err = e.receive(context, src, tag, buf)
	} else if op.state == complete && op.err == nil {
		w := op.received(e)
		w.Site, w.Context, w.Flags = site, context, w.Flags|wild(src, tag)
		e.trace.Recv(start, &w)
		st := op.status
		e.release(op)
		e.unlock()
		return st, nil
	}
	st := noStatus
	var w recorder.What
	if err == nil {
		st, w, err = e.finishRecv(op)
	}
	w.Site, w.Context, w.Flags = site, context, w.Flags|wild(src, tag)|failed(err)
	e.trace.Call(trace.Recv, start, &w)
	e.unlock()
	return st, err
}

// tracedPoll is the loop of receiveFast.
func (e *Engine) tracedPoll(spin int) bool {
	for range spin {
		e.trace.Look()
		came := e.module.Poll(1, e.onFrame)
		if e.further != nil {
			e.pollFurther(1)
		}
		if e.crowd != nil && e.awaited != nil && !e.goOn(came > 0) {
			break
		}
		if e.awaited == nil {
			return true
		}
		if e.contenders.Load() != 0 || e.GoneCount() != e.gone {
			break
		}
	}
	return false
}

// finishRecv is finish of a receive, and says what is recorded of its message.
func (e *Engine) finishRecv(op *operation) (st Status, w recorder.What, err error) {
	if op.state != complete {
		if err := e.wait(op, ""); err != nil {
			e.giveUp(op)
			return noStatus, w, err
		}
	}
	w = op.received(e)
	st, err = op.status, op.err
	e.release(op)
	return st, w, err
}

// received says what is recorded of the message of a receive.
func (op *operation) received(e *Engine) recorder.What {
	st := &op.status
	return recorder.What{
		Bytes: st.Bytes, Tag: int32(st.Tag), Peer: int32(st.Source), Number: op.number, Flags: op.way(e, st.Source),
	}
}

// tracedMrecv is Mrecv.
func (e *Engine) tracedMrecv(m *Message, buf btl.Buffer) (Status, error) {
	e.lock()
	defer e.unlock()
	start := e.trace.Begin()
	op, err := e.receiveMatched(m, buf)
	if err != nil {
		return noStatus, err
	}
	context := op.context
	st, w, err := e.finishRecv(op)
	w.Context, w.Flags = context, w.Flags|failed(err)
	e.trace.Call(trace.Recv, start, &w)
	return st, err
}
