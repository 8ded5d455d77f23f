package pml

import (
	"github.com/gopvas/gopvas/internal/msg/recorder"
	"github.com/gopvas/gopvas/trace"
)

// Recording. If the job is traced, each call of the program is recorded between begin and end, and
// each message gets a number: how many messages its sender has sent to its receiver by then.
// Both ends count, and modules deliver in order. So both have the same number, and nothing
// travels with the message. All is written under the engine's lock.
//
// Without a trace a call looks once whether there is one.

// step is the request of operations that are a step of a collective or a graph, and
// not of the program.
const step = ^uint32(0)

// recording is what a rank records of its calls and messages.
type recording struct {
	to        *recorder.Recorder // nil: nothing is recorded
	rank      int
	beginning uint32 // request of the operation that is begun
	arriving  uint32 // number of the message that is delivered
}

// on tells whether anything is recorded.
func (r *recording) on() bool { return r.to != nil }

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
func (op *operation) way(rank, peer int) trace.Flags {
	switch {
	case peer == rank:
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
	fast   bool       // it has received without posting: see receiveFast
	start  uint64     // 0: to be estimated
	site   uint64     // 0: to be looked for at the end
}

// what says what is recorded of a call about an operation.
func (op *operation) what(rank int, k trace.Kind) (w recorder.What) {
	switch k {
	case trace.Send:
		w = op.said(op.number)
		w.Flags |= op.way(rank, int(op.Peer))
	case trace.Recv:
		w = op.received(rank)
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

// said says what the call has said of a message that it sends or receives.
func (op *operation) said(number uint32) recorder.What {
	return recorder.What{
		Bytes: uint64(op.buf.Len()), Number: number, Tag: op.Tag, Peer: op.Peer, Flags: op.mode.flags(),
	}
}

// received says what is recorded of the message of a receive.
func (op *operation) received(rank int) recorder.What {
	st := &op.status
	return recorder.What{
		Bytes: st.Bytes, Tag: int32(st.Tag), Peer: int32(st.Source), Number: op.number, Flags: op.way(rank, st.Source),
	}
}

// begin is called under the lock when a call begins. A call that makes a request gives it a number: r.beginning.
// The start of a send of a known length may be estimated; of others bytes is negative.
func (r *recording) begin(k trace.Kind, bytes int) (c call) {
	if r.to != nil {
		c = r.beginSome(k, bytes)
	}
	return c
}

func (r *recording) beginSome(k trace.Kind, bytes int) call {
	c := call{kind: k}
	switch k {
	case trace.Send:
		c.start = r.to.BeginShort(bytes)
	case trace.Recv, trace.Wait:
		c.start, c.site = r.to.BeginWait(k)
	case trace.Isend, trace.Irecv, trace.Start:
		r.beginning = r.to.Request()
		c.start = r.to.Begin()
	default:
		c.start = r.to.Begin()
	}
	return c
}

// end records a call about an operation, nil: it has begun none. The operation is not released yet.
func (r *recording) end(c call, op *operation, err error) {
	if c.kind != trace.None {
		r.endSome(c, op, err)
	}
}

func (r *recording) endSome(c call, op *operation, err error) {
	r.begun()
	w := recorder.What{Peer: -1}
	if op != nil {
		w = op.what(r.rank, c.kind)
	}
	w.Site = c.site
	if err != nil {
		w.Flags |= trace.Failed
	}
	switch {
	case c.kind == trace.Send && c.atOnce:
		r.to.ShortSend(c.start, &w)
	case c.kind == trace.Recv && c.atOnce && c.fast && err == nil:
		r.to.Recv(c.start, &w)
	default:
		if c.start == 0 {
			c.start = r.to.Begin()
		}
		r.to.Call(c.kind, c.start, &w)
	}
}

// endMany records a wait for several requests, of which it has taken some.
func (r *recording) endMany(c call, taken uint32) {
	if c.kind != trace.None {
		r.to.Call(c.kind, c.start, &recorder.What{Number: taken, Peer: -1})
	}
}

// endProbe records a probe that has found a message.
func (r *recording) endProbe(c call, context uint32, st Status) {
	if c.kind != trace.None {
		r.to.Call(c.kind, c.start, &recorder.What{
			Bytes: st.Bytes, Context: context, Tag: int32(st.Tag), Peer: int32(st.Source),
		})
	}
}

// taken records that the result of an operation is taken. It returns 1, or 0 if the
// operation is no request of the program.
func (r *recording) taken(op *operation) uint32 {
	if op.request == 0 || op.request == step {
		return 0
	}
	r.to.Point(trace.Taken, &recorder.What{Number: op.request, Context: op.context, Peer: -1})
	return 1
}

// begun ends the marking of new operations: beginning is the request that they belong to.
func (r *recording) begun() { r.beginning = 0 }

// sent records a message that has left, unless it is that of a blocking call. Under its
// number it is found at the receiver.
func (r *recording) sent(op *operation) {
	op.number = r.to.Sent(int(op.Peer))
	if op.request == 0 {
		return
	}
	w := op.what(r.rank, trace.Send)
	op.belong(&w)
	r.to.Point(trace.Sent, &w)
}

// complete records that an operation is complete, unless a blocking call waits for it.
func (r *recording) complete(op *operation) {
	if op.request == 0 || op.Peer == ProcNull && op.kind != tasking {
		return
	}
	switch op.kind {
	case receiving:
		if op.number == 0 { // it has ended without a message
			r.done(op)
			return
		}
		w := op.received(r.rank)
		w.Context = op.context
		op.belong(&w)
		r.to.Point(trace.Received, &w)
	case tasking:
		r.done(op)
	case sending:
		if op.offered {
			r.done(op)
		}
	}
}

func (r *recording) done(op *operation) {
	if op.request != step {
		r.to.Point(trace.Done, &recorder.What{Number: op.request, Context: op.context, Peer: -1})
	}
}

// belong says for which request an event is.
func (op *operation) belong(w *recorder.What) {
	if op.request == step {
		w.Flags |= trace.Inside
	} else {
		w.Request = op.request
	}
}

// Calls are the calls above the engine that are recorded.
type Calls struct {
	threads *Threads
	trace   *recording
}

// Recorded tells whether calls and messages are recorded.
func (c Calls) Recorded() bool { return c.trace.on() }

// Begin returns the time of a call, for End.
func (c Calls) Begin() uint64 {
	if !c.trace.on() {
		return 0
	}
	return c.begin()
}

func (c Calls) begin() uint64 {
	c.threads.lock()
	start := c.trace.to.Begin()
	c.threads.unlock()
	return start
}

// End records a call that began at a time of Begin.
func (c Calls) End(k trace.Kind, start uint64, w recorder.What) {
	if !c.trace.on() {
		return
	}
	c.threads.lock()
	c.trace.to.Call(k, start, &w)
	c.trace.to.Publish()
	c.threads.unlock()
}
