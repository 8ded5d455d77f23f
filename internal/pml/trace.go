package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/trace/recorder"
	"github.com/gopvas/gopvas/trace"
)

// Recording. If the job is traced, each call of the program is recorded between beginCall and endCall, and
// each message gets a number: how many messages its sender has sent to its receiver by then.
// Both ends count, and modules deliver in order. So both have the same number, and nothing
// travels with the message. All is written under the engine's lock.
//
// Without a trace a call looks once whether there is one.

// step is the request of operations that are a step of a collective or a graph, and
// not of the program.
const step = ^uint32(0)

// Trace makes the engine record its calls and messages. It is called before the engine is used.
func (e *Engine) Trace(r *recorder.Recorder) {
	e.trace, e.short = r, nil
	e.on.frame = func(f *btl.Frame) {
		e.arriving = r.Received(int(f.Source))
		e.deliver(f)
	}
}

// Traced tells whether the engine records its calls and messages.
func (e *Engine) Traced() bool { return e.trace != nil }

// Recording tells whether calls are recorded.
func (e *Engine) Recording() bool { return e.trace != nil }

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

// call is a call of the program that is recorded. Without a trace it is the zero value.
type call struct {
	kind   trace.Kind // None: it is not recorded
	atOnce bool       // it has waited for nothing
	start  uint64     // 0: to be estimated
	site   uint64     // 0: to be looked for at the end
}

// beginCall is called under the lock when a call begins. A call that makes a request gives it a number: e.beginning.
// The start of a send of a known length may be estimated; of others bytes is negative.
func (e *Engine) beginCall(k trace.Kind, bytes int) (c call) {
	if e.trace != nil {
		c = e.beginTraced(k, bytes)
	}
	return c
}

func (e *Engine) beginTraced(k trace.Kind, bytes int) call {
	c := call{kind: k}
	switch k {
	case trace.Send:
		c.start = e.trace.BeginShort(bytes)
	case trace.Recv, trace.Wait:
		c.start, c.site = e.trace.BeginWait(k)
	case trace.Isend, trace.Irecv, trace.Start:
		e.beginning = e.trace.Request()
		c.start = e.trace.Begin()
	default:
		c.start = e.trace.Begin()
	}
	return c
}

// endCall records a call about an operation, nil: it has begun none. The operation is not released yet.
func (e *Engine) endCall(c call, op *operation, err error) {
	if c.kind != trace.None {
		e.endTraced(c, op, err)
	}
}

func (e *Engine) endTraced(c call, op *operation, err error) {
	e.begun()
	w := recorder.What{Peer: -1}
	if op != nil {
		w = op.what(e, c.kind)
	}
	w.Site = c.site
	if err != nil {
		w.Flags |= trace.Failed
	}
	switch {
	case c.kind == trace.Send && c.atOnce:
		e.trace.ShortSend(c.start, &w)
	case c.kind == trace.Recv && c.atOnce && op == &e.fast && err == nil:
		e.trace.Recv(c.start, &w)
	default:
		if c.start == 0 {
			c.start = e.trace.Begin()
		}
		e.trace.Call(c.kind, c.start, &w)
	}
}

// what says what is recorded of a call about an operation.
func (op *operation) what(e *Engine, k trace.Kind) (w recorder.What) {
	switch k {
	case trace.Send:
		w = op.said(op.number)
		w.Flags |= op.way(e, int(op.Peer))
	case trace.Recv:
		w = op.received(e)
		w.Flags |= wild(int(op.Peer), int(op.Tag))
	case trace.Isend, trace.Irecv, trace.Start:
		w = op.said(op.request)
		w.Flags |= wild(int(op.Peer), int(op.Tag))
	default:
		w = recorder.What{Number: op.request, Peer: -1}
	}
	if op.persistent && (k == trace.Start || k == trace.Begin) {
		w.Flags |= trace.Persistent
	}
	w.Context = op.context
	return w
}

// message says what the call has said of a message that it sends or receives.
func (op *operation) said(number uint32) recorder.What {
	return recorder.What{
		Bytes: uint64(op.buf.Len()), Number: number, Tag: op.Tag, Peer: op.Peer, Flags: op.mode.flags(),
	}
}

// received says what is recorded of the message of a receive.
func (op *operation) received(e *Engine) recorder.What {
	st := &op.status
	return recorder.What{
		Bytes: st.Bytes, Tag: int32(st.Tag), Peer: int32(st.Source), Number: op.number, Flags: op.way(e, st.Source),
	}
}

// endMany records a wait for several requests, of which it has taken some.
func (e *Engine) endMany(c call, taken uint32) {
	if c.kind != trace.None {
		e.trace.Call(c.kind, c.start, &recorder.What{Number: taken, Peer: -1})
	}
}

// endProbe records a probe that has found a message.
func (e *Engine) endProbe(c call, context uint32, st Status) {
	if c.kind != trace.None {
		e.trace.Call(c.kind, c.start, &recorder.What{
			Bytes: st.Bytes, Context: context, Tag: int32(st.Tag), Peer: int32(st.Source),
		})
	}
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

// begun ends the marking of new operations: beginning is the request that they belong to.
func (e *Engine) begun() { e.beginning = 0 }

// traceSent records a message that has left, unless it is that of a blocking call. Under its
// number it is found at the receiver.
func (e *Engine) traceSent(op *operation) {
	op.number = e.trace.Sent(int(op.Peer))
	if op.request == 0 {
		return
	}
	w := op.what(e, trace.Send)
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
	if op.request == 0 || op.Peer == ProcNull && op.kind != tasking {
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
