package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/trace"
)

// Protocol choice. The module copies a standard send of at most the eager limit, and the
// send is over at once. Every other message is offered: longer ones, synchronous ones, and
// those for which the module has no credit (ahead.go). An offered message stays with its sender until
// the receiver takes it, which holds a sender back at last. If the peer's ring is
// full, the send is queued. Queued sends keep their order, and nothing overtakes them.

// Send sends buf to rank dst and returns when buf can be used again, and if the
// mode is Synchronous, when the receive has begun. A short standard send does not
// wait for the receiver unless that is far behind.
//
// The error is, or wraps, a *RankError, *TagError, *LostError (the receiver has
// gone) or ErrFinalized.
func (e *Engine) Send(context uint32, dst, tag int, buf []byte, mode Mode) error {
	e.lock()
	if mode == Standard && e.short != nil && e.simple(dst, tag) && e.short.SendShort(dst, context, int32(tag), buf) {
		e.unlock()
		return nil
	}
	err := e.sendAndWait(context, dst, tag, &btl.Buffer{Bytes: buf}, mode)
	e.unlock()
	return err
}

// SendBuffer is Send from a buffer that may have a layout.
func (e *Engine) SendBuffer(context uint32, dst, tag int, buf btl.Buffer, mode Mode) error {
	e.lock()
	err := e.sendAndWait(context, dst, tag, &buf, mode)
	e.unlock()
	return err
}

func (e *Engine) sendAndWait(context uint32, dst, tag int, buf *btl.Buffer, mode Mode) error {
	bytes := -1
	if mode == Standard {
		bytes = buf.Len()
	}
	c := e.beginCall(trace.Send, bytes)
	op, err := e.send(context, dst, tag, elements(buf), buf, mode, false)
	switch {
	case err != nil:
		e.endCall(c, nil, err)
	case op != sent:
		_, err = e.finish(op, c)
	}
	return err
}

// Isend begins a send and does not wait. buf must not be written to until
// the request is complete. Arguments are checked at once; that the receiver has gone
// is told by the wait.
func (e *Engine) Isend(context uint32, dst, tag int, buf []byte, mode Mode) (Request, error) {
	e.lock()
	if mode == Standard && e.short != nil && e.simple(dst, tag) && e.short.SendShort(dst, context, int32(tag), buf) {
		e.unlock()
		return Request{op: sent}, nil
	}
	r, err := e.isend(context, dst, tag, &btl.Buffer{Bytes: buf}, mode)
	e.unlock()
	return r, err
}

// IsendBuffer is Isend from a buffer that may have a layout.
func (e *Engine) IsendBuffer(context uint32, dst, tag int, buf btl.Buffer, mode Mode) (Request, error) {
	e.lock()
	r, err := e.isend(context, dst, tag, &buf, mode)
	e.unlock()
	return r, err
}

func (e *Engine) isend(context uint32, dst, tag int, buf *btl.Buffer, mode Mode) (Request, error) {
	c := e.beginCall(trace.Isend, -1)
	op, err := e.send(context, dst, tag, elements(buf), buf, mode, true)
	if err == nil && op != sent {
		e.progress()
	}
	e.endCall(c, op, err)
	return request(op, err)
}

// simple tells whether a standard send is simple: nothing is wrong with it, no send is queued, the rank has not gone,
// and nobody records it. If it is short, it goes straight to the module, and needs no operation.
func (e *Engine) simple(dst, tag int) bool {
	return uint(dst) < uint(e.size) && e.passes(dst) && e.trace == nil && dst != e.rank && uint(tag) <= MaxTag
}

// send begins a send of any kind. The operation returned may be complete: sent, if the message needed none. kept tells
// that the caller does not need the buffer at once: then a zero-copy attempt may be pending from its start.
func (e *Engine) send(context uint32, dst, tag int, m Mark, buf *btl.Buffer, mode Mode,
	kept bool) (*operation, error) {
	if mode == Standard && e.simple(dst, tag) {
		if op := e.sendNow(context, dst, tag, m, buf, kept); op != nil {
			return op, nil
		}
	} else if err := e.checkTarget(dst, tag); err != nil {
		return nil, err
	}
	if err := MayWait(); err != nil { // before the receiver can know of it
		return nil, err
	}
	op := e.newOperation(sending, context, dst, tag)
	op.use(buf)
	op.mode, op.mark = mode, m
	e.startSend(op, !kept)
	return op, nil
}

// sendNow is send of a simple message, if it is short and the module takes it now; else nil.
func (e *Engine) sendNow(context uint32, dst, tag int, m Mark, buf *btl.Buffer, kept bool) *operation {
	by := e.to(dst)
	if buf.Len() > by.Eager {
		return nil
	}
	t, ok := by.SendShort(dst, e.head(context, int32(tag), m), buf, kept)
	switch {
	case !ok:
		return nil
	case t == nil:
		return sent
	}
	op := e.newOperation(sending, context, dst, tag)
	op.buf.Bytes = buf.Bytes
	e.move(op, t)
	return op
}

// checkTarget returns an error unless a message may go there, with this tag.
func (e *Engine) checkTarget(dst, tag int) error {
	err := e.checkPeer(dst)
	if err == nil && dst != ProcNull {
		err = checkTag(tag)
	}
	return err
}

// startSend brings an idle send on its way. waits tells that its call waits for it.
func (e *Engine) startSend(op *operation, waits bool) {
	if op.Peer == ProcNull {
		e.complete(op, nil)
		return
	}
	if int(op.Peer) == e.rank {
		e.sendSelf(op)
		return
	}
	if err := e.gone.Error(op.context, op.Peer); err != nil {
		e.complete(op, err)
		return
	}
	if e.sends.Waiting() && e.sends.To(op.Peer).Queued() || !e.launch(op, waits) {
		e.enqueue(op)
	}
}

// launch hands a send that has no predecessor to the module; false: the peer's ring is full, or not open yet, or the
// send is patient and would run ahead.
func (e *Engine) launch(op *operation, patient bool) bool {
	h := e.head(op.context, op.Tag, op.mark)
	peer := int(op.Peer)
	by := e.to(peer)
	if op.mode == Standard && op.buf.Len() <= by.Eager {
		t, ok := by.SendShort(peer, h, &op.buf, !e.ahead.Used())
		if ok && e.trace != nil {
			e.traceSent(op)
		}
		switch {
		case t != nil:
			e.move(op, t)
			return true
		case ok:
			e.complete(op, nil)
			return true
		case !by.NoCredit():
			return false // there may be room by now, and an offer would wait for its receiver
		case e.ahead.Fits(op.buf.Len()):
			return (!patient || e.sends.To(op.Peer).Ahead()) && e.runAhead(op)
		}
	}
	t, ok := by.Offer(peer, h, &op.buf)
	if ok {
		op.offered = true
		if e.trace != nil {
			e.traceSent(op)
		}
		e.move(op, t)
	}
	return ok
}

// head returns the header of a message, until the next call.
func (e *Engine) head(context uint32, tag int32, m Mark) *btl.Header {
	h := &e.header
	h.Tag, h.Context, h.Flags, h.Cookie = tag, context, m.Number, m.Word
	return h
}

// enqueue puts a send behind all others that are queued for its peer.
func (e *Engine) enqueue(op *operation) {
	e.sends.Queue(op.Peer, &op.flow)
	op.state = queued
	e.stats.Queued++
	e.updateFastPath()
}

// flush launches the queued sends that their peers can take now.
func (e *Engine) flush() {
	e.notice.Moved(e.sends.Flush(e.on.launch))
	e.updateFastPath()
}

// launchQueued is launch of a send that was queued.
func (e *Engine) launchQueued(op *operation) bool {
	return e.launch(op, op.waiter != nil && !e.line.Looking())
}

// sendSelf sends to this rank itself, which needs no module: either the receive is
// there, or the message is kept, with a copy of the bytes if it is short.
func (e *Engine) sendSelf(op *operation) {
	e.stats.SelfMessages++
	n := uint64(op.buf.Len())
	e.stats.SelfBytes += n
	if e.trace != nil {
		e.traceSent(op)
		e.arriving = op.number
	}
	if recv := e.match.In(op.context).Arrive(op.Peer, op.Tag); recv != nil {
		recv.status, recv.mark = Status{Source: e.rank, Tag: int(op.Tag)}, op.mark
		recv.number = e.arriving
		e.complete(recv, recv.fillFrom(&op.buf))
		e.complete(op, nil)
		return
	}
	msg := e.messages.take()
	msg.number = e.arriving
	msg.frame.Header = btl.Header{
		Source: op.Peer, Tag: op.Tag, Context: op.context, Length: n,
		Flags: op.mark.Number, Cookie: op.mark.Word,
	}
	if op.mode == Standard && n <= uint64(e.routes.First.Eager) && e.toItself.Fits(int(n)) {
		e.toItself.Take(int(n))
		msg.origin = fromSelf
		msg.frame.Payload = msg.keepOf(&op.buf)
		e.complete(op, nil)
	} else {
		msg.origin, msg.sender = heldBySelf, op
		op.state = held
	}
	e.unexpected(msg)
}
