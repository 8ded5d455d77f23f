package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/trace/recorder"
	"github.com/gopvas/gopvas/trace"
)

// Recording. If the job is traced, functions of this file record each call of the program, and
// each message gets a number: how many messages its sender has sent to its receiver by then.
// Both ends count, and modules deliver in order. So both have the same number, and nothing
// travels with the message. All is written under the engine's lock.
//
// Without a trace a call looks once whether there is one.

// step is the request of operations that are a step of a collective or a graph, and
// not of the program.
const step = ^uint32(0)

// Trace has the engine record its calls and messages. It is called before the engine is used.
func (e *Engine) Trace(r *recorder.Recorder) {
	e.trace = r
	e.updateShort()
	e.onFrame = func(f *btl.Frame) {
		e.arriving = r.Received(int(f.Source))
		e.deliver(f)
	}
}

// Traced tells whether the engine records its calls and messages.
func (e *Engine) Traced() bool { return e.trace != nil }

// CallBegins returns the time of a call that is recorded above the engine, for CallEnds.
func (e *Engine) CallBegins() uint64 {
	if e.trace == nil {
		return 0
	}
	return e.callBegins()
}

func (e *Engine) callBegins() uint64 {
	e.lock()
	start := e.trace.Begin()
	e.unlock()
	return start
}

// CallEnds records a call that began at a time of CallBegins.
func (e *Engine) CallEnds(k trace.Kind, start uint64, w recorder.What) {
	if e.trace == nil {
		return
	}
	e.lock()
	e.trace.Call(k, start, &w)
	e.trace.Publish()
	e.unlock()
}

// failed is the flag of calls that return an error.
func failed(err error) trace.Flags {
	if err != nil {
		return trace.Failed
	}
	return 0
}

func (m Mode) flags() trace.Flags {
	if m == Synchronous {
		return trace.Synchronous
	}
	return 0
}

// wild returns the flags of a receive.
func wild(src, tag int) (f trace.Flags) {
	if src == AnySource {
		f = trace.AnySource
	}
	if tag == AnyTag {
		f |= trace.AnyTag
	}
	return f
}

// way returns the flags of the way that the message of an operation takes.
func (op *operation) way(e *Engine, peer int) trace.Flags {
	switch {
	case peer == e.rank:
		return trace.By(trace.Self)
	case op.offered:
		return trace.By(trace.Rendezvous)
	}
	return trace.By(trace.Eager)
}

// tracedSend is Send.
func (e *Engine) tracedSend(context uint32, dst, tag int, buf *btl.Buffer, mode Mode) error {
	e.lock()
	var op *operation
	var start uint64
	if mode == Standard && buf.Layout == nil && buf.Of == 0 {
		start = e.trace.BeginShort(len(buf.Bytes))
		op = e.sendNow(context, dst, tag, Mark{}, buf.Bytes, false)
		if op == sent {
			e.trace.ShortSend(start, len(buf.Bytes), context, int32(tag), dst, e.numbered)
			e.unlock()
			return nil
		}
	}
	err := e.tracedLong(op, start, context, dst, tag, buf, mode)
	e.unlock()
	return err
}

// tracedLong is tracedSend of a message that has not left at once. The lock is held.
func (e *Engine) tracedLong(op *operation, start uint64, context uint32, dst, tag int, buf *btl.Buffer,
	mode Mode) (err error) {
	w := recorder.What{Bytes: uint64(buf.Len()), Context: context, Tag: int32(tag), Peer: int32(dst)}
	if start == 0 {
		start = e.trace.Begin()
	}
	if op == nil {
		op, err = e.send(context, dst, tag, elements(buf), buf, mode)
	}
	if err == nil {
		err = e.wait(op, "")
	}
	if err == nil {
		w.Number, w.Flags = op.number, op.way(e, dst) // known when it has left
		_, err = e.finish(op)
	}
	w.Flags |= mode.flags() | failed(err)
	e.trace.Call(trace.Send, start, &w)
	return err
}

// tracedIsend is Isend. Each send has an operation, because its wait is recorded too.
func (e *Engine) tracedIsend(context uint32, dst, tag int, buf *btl.Buffer, mode Mode) (Request, error) {
	e.lock()
	defer e.unlock()
	start := e.trace.Begin()
	w := recorder.What{
		Bytes: uint64(buf.Len()), Context: context, Tag: int32(tag), Peer: int32(dst),
		Number: e.trace.Request(), Flags: mode.flags(),
	}
	e.beginning = w.Number
	op, err := e.send(context, dst, tag, elements(buf), buf, mode)
	e.beginning = 0
	if err == nil {
		e.progress()
	}
	r, err := request(op, err)
	w.Flags |= failed(err)
	e.trace.Call(trace.Isend, start, &w)
	return r, err
}

// tracedIrecv is Irecv.
func (e *Engine) tracedIrecv(context uint32, src, tag int, buf *btl.Buffer) (Request, error) {
	e.lock()
	defer e.unlock()
	start := e.trace.Begin()
	w := recorder.What{
		Bytes: uint64(buf.Len()), Context: context, Tag: int32(tag), Peer: int32(src), Number: e.trace.Request(),
	}
	e.beginning = w.Number
	op, err := e.receive(context, src, tag, buf)
	e.beginning = 0
	w.Flags = wild(src, tag) | failed(err)
	e.trace.Call(trace.Irecv, start, &w)
	return request(op, err)
}

// tracedWait is Wait of an operation.
func (e *Engine) tracedWait(r *Request) (Status, error) {
	e.lock()
	defer e.unlock()
	op := r.active()
	if op == nil {
		return noStatus, nil
	}
	start, site := e.trace.BeginWait(trace.Wait)
	w := recorder.What{Site: site, Number: op.request, Context: op.context, Peer: -1}
	op, err := e.awaitRequest(r)
	if op == nil {
		return noStatus, err
	}
	st, err := e.collect(r)
	w.Flags = failed(err)
	e.trace.Call(trace.Wait, start, &w)
	return st, err
}

// traceWait returns the time when a call begins; 0 without a trace.
func (e *Engine) traceWait() uint64 {
	if e.trace == nil {
		return 0
	}
	return e.trace.Begin()
}

// traceWaited records a wait for several requests, of which it has taken some.
func (e *Engine) traceWaited(k trace.Kind, start uint64, taken uint32) {
	e.trace.Call(k, start, &recorder.What{Number: taken, Peer: -1})
}

// traceTaken records that the result of an operation is taken. It returns 1, or 0 if the
// operation is no request of the program.
func (e *Engine) traceTaken(op *operation) uint32 {
	if op.request == 0 || op.request == step {
		return 0
	}
	e.trace.Point(trace.Taken, &recorder.What{Number: op.request, Context: op.context, Peer: -1})
	return 1
}

// traceTest records a test that has found something; one that is a part of another call as
// what it takes.
func (e *Engine) traceTest(op *operation, start uint64, whole bool) {
	if !whole {
		e.traceTaken(op)
		return
	}
	e.trace.Call(trace.Test, start, &recorder.What{Number: op.request, Context: op.context, Peer: -1})
}

// traceStart records the start of a persistent request.
func (e *Engine) traceStart(op *operation, start uint64) {
	e.trace.Call(trace.Start, start, &recorder.What{
		Bytes: uint64(op.buf.Len()), Number: op.request, Context: op.context, Tag: op.tag, Peer: op.peer,
		Flags: trace.Persistent | op.mode.flags() | wild(int(op.peer), int(op.tag)),
	})
}

// traceBegin records the begin of a task.
func (e *Engine) traceBegin(op *operation, start uint64) {
	w := recorder.What{Number: op.request, Context: op.context, Peer: -1}
	if op.persistent {
		w.Flags = trace.Persistent
	}
	e.trace.Call(trace.Begin, start, &w)
}

// traceProbe records a probe that has found a message.
func (e *Engine) traceProbe(context uint32, start uint64, st Status, found bool) {
	if e.trace != nil && found {
		e.trace.Call(trace.Probe, start, &recorder.What{
			Bytes: st.Bytes, Context: context, Tag: int32(st.Tag), Peer: int32(st.Source),
		})
	}
}

// traceImrecv records Imrecv.
func (e *Engine) traceImrecv(op *operation, start uint64) {
	e.trace.Call(trace.Irecv, start, &recorder.What{
		Bytes: uint64(op.buf.Len()), Number: op.request, Context: op.context, Tag: op.tag, Peer: op.peer,
	})
}

// begun ends the marking of new operations: beginning is the request that they belong to.
func (e *Engine) begun() { e.beginning = 0 }

// traceNow records a message that has left at once, if it is a step of something.
func (e *Engine) traceNow(context uint32, dst, tag, length int) {
	e.numbered = e.trace.Sent(dst)
	if e.beginning == step {
		e.trace.Point(trace.Sent, &recorder.What{
			Bytes: uint64(length), Context: context, Tag: int32(tag), Peer: int32(dst), Number: e.numbered,
			Flags: trace.By(trace.Eager) | trace.Inside,
		})
	}
}

// traceSent records a message that has left, unless it is that of a blocking call. Under its
// number it is found at the receiver.
func (e *Engine) traceSent(op *operation) {
	op.number = e.trace.Sent(int(op.peer))
	if op.request == 0 {
		return
	}
	w := recorder.What{
		Bytes: uint64(op.buf.Len()), Context: op.context, Tag: op.tag, Peer: op.peer, Number: op.number,
		Flags: op.way(e, int(op.peer)) | op.mode.flags(),
	}
	op.belong(&w)
	e.trace.Point(trace.Sent, &w)
}

// belong says for which request an event is.
func (op *operation) belong(w *recorder.What) {
	if op.request == step {
		w.Flags |= trace.Inside
	} else {
		w.Request = op.request
	}
}

// traceComplete records that an operation is complete, unless a blocking call waits for it.
func (e *Engine) traceComplete(op *operation) {
	if op.request == 0 || op.peer == ProcNull && op.kind != tasking {
		return
	}
	switch op.kind {
	case receiving:
		if op.number == 0 { // it has ended without a message
			e.traceDone(op)
			return
		}
		w := op.received(e)
		w.Context = op.context
		op.belong(&w)
		e.trace.Point(trace.Received, &w)
	case tasking:
		e.traceDone(op)
	case sending:
		if op.offered {
			e.traceDone(op)
		}
	}
}

func (e *Engine) traceDone(op *operation) {
	if op.request != step {
		e.trace.Point(trace.Done, &recorder.What{Number: op.request, Context: op.context, Peer: -1})
	}
}
