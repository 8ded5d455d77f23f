package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/mpi/fault"
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
	e.lock()
	if e.short != nil && !e.pace.Crowded() && e.comesFirst(context, src, tag) {
		n, got, ok := e.short.TakeShort(min(shortLooks, e.pace.Spin()), src, context, int32(tag), buf)
		if ok {
			e.unlock()
			return Status{Source: src, Tag: int(got), Bytes: uint64(n)}, nil
		}
	}
	st, err := e.recv(context, src, tag, &btl.Buffer{Bytes: buf})
	e.unlock()
	return st, err
}

// shortLooks is how often Recv looks for a short message: for some microseconds.
const shortLooks = 1000

// RecvBuffer is Recv into a buffer that may have a layout.
func (e *Engine) RecvBuffer(context uint32, src, tag int, buf btl.Buffer) (Status, error) {
	e.lock()
	st, err := e.recv(context, src, tag, &buf)
	e.unlock()
	return st, err
}

func (e *Engine) recv(context uint32, src, tag int, buf *btl.Buffer) (Status, error) {
	c := e.beginCall(trace.Recv, -1)
	op := &e.fast
	if !e.receiveFast(op, context, src, tag, buf) {
		var err error
		if op, err = e.receive(context, src, tag, buf); err != nil {
			e.endCall(c, nil, err)
			return noStatus, err
		}
	}
	return e.finish(op, c)
}

// comesFirst tells whether a blocking receive is simple: it may take its message as that comes by, and is not posted.
// That is as if it had been posted, because the lock is held all the time and nothing can tell the difference. No
// receive that was posted before matches the same message, and no message that has arrived does. Nobody else waits, and
// nothing else of this rank needs progress.
func (e *Engine) comesFirst(context uint32, src, tag int) bool {
	if e.pace.Spin() == 0 || e.line.HasOwner() || e.receives.Len() > 0 || e.sends.Busy() || !e.tasks.Empty() ||
		uint(src) >= uint(e.size) || !e.passes(src) || src == e.rank || uint(tag) > MaxTag && tag != AnyTag {
		return false
	}
	return e.match.In(context).Untouched(int32(src))
}

// receiveFast is the short way of a blocking receive from a named rank. It polls for the message without posting the
// receive, and fills it as the message comes by. It returns true if it has; the operation then is complete or has a
// transfer underway. It ends as soon as another goroutine wants the lock, or a rank goes.
//
// The operation is the engine's own for this purpose. If it is not idle, a receive of an operator has it, which steps
// aside until it is complete (waitRefused).
func (e *Engine) receiveFast(op *operation, context uint32, src, tag int, buf *btl.Buffer) bool {
	if op.state != idle || !e.comesFirst(context, src, tag) {
		return false
	}
	op.context, op.Peer, op.Tag, op.buf, op.request = context, int32(src), int32(tag), *buf, e.beginning
	e.awaited = op
	for range e.pace.Looks(false) { // not shm.Look, whose callback a short message would feel
		if e.trace != nil {
			e.trace.Look()
		}
		came := e.routes.First.Poll(1, e.on.frame)
		if e.routes.Several() {
			e.pollFurther(1)
		}
		if e.pace.Crowded() && e.awaited != nil && !e.pace.GoOn(came > 0) {
			break
		}
		if e.awaited == nil {
			return true
		}
		if e.contenders.Load() != 0 || e.gone.News() {
			break
		}
	}
	e.awaited, op.buf = nil, btl.Buffer{}
	return false
}

// Irecv begins a receive and does not wait. buf must not be read or written
// until the request is complete.
func (e *Engine) Irecv(context uint32, src, tag int, buf []byte) (Request, error) {
	e.lock()
	if e.trace == nil && uint(src) < uint(e.size) && e.passes(src) && uint(tag) <= MaxTag {
		if c := e.match.In(context); !c.Unexpected() { // it is simple: to be posted, and nothing is wrong
			op := e.newOperation(receiving, context, src, tag)
			op.buf.Bytes = buf
			op.state = posted
			c.Post(&op.Receive)
			e.unlock()
			return Request{op: op, generation: op.generation}, nil
		}
	}
	r, err := e.irecv(context, src, tag, &btl.Buffer{Bytes: buf})
	e.unlock()
	return r, err
}

// IrecvBuffer is Irecv into a buffer that may have a layout.
func (e *Engine) IrecvBuffer(context uint32, src, tag int, buf btl.Buffer) (Request, error) {
	e.lock()
	r, err := e.irecv(context, src, tag, &buf)
	e.unlock()
	return r, err
}

func (e *Engine) irecv(context uint32, src, tag int, buf *btl.Buffer) (Request, error) {
	c := e.beginCall(trace.Irecv, -1)
	op, err := e.receive(context, src, tag, buf)
	e.endCall(c, op, err)
	return request(op, err)
}

// checkSource returns an error unless a message may come from there, with this tag.
func (e *Engine) checkSource(src, tag int) error {
	peer := src
	if src == AnySource {
		peer = ProcNull
	}
	if err := e.checkPeer(peer); err != nil {
		return err
	}
	if tag != AnyTag && src != ProcNull {
		return checkTag(tag)
	}
	return nil
}

// receive begins a receive. The operation returned may be complete.
func (e *Engine) receive(context uint32, src, tag int, buf *btl.Buffer) (*operation, error) {
	if e.held || uint(src) >= uint(e.size) || uint(tag) > MaxTag { // else nothing can be wrong
		if err := e.checkSource(src, tag); err != nil {
			return nil, err
		}
	}
	op := e.newOperation(receiving, context, src, tag)
	op.use(buf)
	e.startReceive(op)
	return op, nil
}

// startReceive gives an idle receive the message that waits for it, or posts it.
func (e *Engine) startReceive(op *operation) {
	if op.Peer == ProcNull {
		op.status = nobody
		e.complete(op, nil)
		return
	}
	c := e.match.In(op.context)
	if msg := c.Find(op.Peer, op.Tag); msg != nil {
		e.taken(msg)
		e.consume(op, msg)
		return
	}
	if err := e.gone.Error(op.context, op.Peer); err != nil {
		e.complete(op, err)
		return
	}
	op.state = posted
	c.Post(&op.Receive)
}

// deliver takes a message that has arrived. The module's Poll calls it.
func (e *Engine) deliver(f *btl.Frame) {
	if op := e.awaited; op != nil && op.Peer == f.Source && op.context == f.Context && op.Takes(f.Tag) {
		e.awaited = nil
		e.receiveFrame(op, f)
		return
	}
	if op := e.match.In(f.Context).Arrive(f.Source, f.Tag); op != nil {
		e.receiveFrame(op, f)
		return
	}
	msg := e.messages.take()
	msg.frame = *f
	msg.number = e.arriving
	msg.origin = delivered
	switch {
	case f.Offered:
		msg.origin = offered
	case f.Inline:
		// Released only when it is consumed: until then it counts against its
		// sender's credit, which bounds our memory.
		msg.frame.Payload = msg.keep(f.Payload)
	}
	e.unexpected(msg)
}

// receiveFrame fills a receive, which is in no list, with the message of a frame.
func (e *Engine) receiveFrame(op *operation, f *btl.Frame) {
	op.status, op.mark = Status{Source: int(f.Source), Tag: int(f.Tag)}, Mark{f.Flags, f.Cookie}
	op.number, op.offered = e.arriving, f.Offered
	if !f.Offered {
		var err error
		if op.buf.Layout == nil && f.Length <= uint64(len(op.buf.Bytes)) {
			copy(op.buf.Bytes, f.Payload)
			op.status.Bytes = f.Length
		} else {
			err = op.fill(f.Payload, f.Length)
		}
		e.to(int(f.Source)).Release(f)
		e.complete(op, err)
		return
	}
	op.err = op.size(f.Length)
	if t := e.to(int(f.Source)).Accept(f, &op.buf); t != nil {
		e.move(op, t)
		return
	}
	e.complete(op, op.err)
}

// fill copies a message of this length to the buffer, as far as it fits.
func (op *operation) fill(payload []byte, length uint64) error {
	op.buf.Unpack(payload, 0)
	return op.size(length)
}

// fillFrom is fill with the message in a buffer of this rank.
func (op *operation) fillFrom(b *btl.Buffer) error {
	n := b.Len()
	btl.Copy(&op.buf, b, 0, min(n, op.buf.Len()))
	return op.size(uint64(n))
}

// size notes how many bytes of a message of this length are received, and returns a
// *TruncateError if it is longer than the buffer. Lengths are compared as uint64:
// a message may be longer than this process could hold.
func (op *operation) size(length uint64) error {
	size := uint64(op.buf.Len())
	op.status.Bytes = min(length, size)
	if length > size {
		return &fault.TruncateError{Length: length, Buffer: size}
	}
	return nil
}
