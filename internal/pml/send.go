package pml

import "github.com/gopvas/gopvas/btl"

// Protocol choice. The module copies a standard send of at most the eager limit, and the
// send is over at once. Every other message is offered: longer ones, synchronous ones, and
// those for which the module has no credit. An offered message stays with its sender until
// the receiver takes it, which holds a sender back that runs ahead. If the peer's ring is
// full, the send is queued. Queued sends keep their order, and nothing overtakes them.

// peerSends are the sends to one peer that are not over, in the order in which they
// were begun: first those underway, which the peer most often takes in this order, then
// those that wait until their peer's ring has a free slot.
type peerSends struct {
	peer     int32
	underway list[operation]
	ops      list[operation] // queued
}

// selfCredit is how many bytes this rank may send to itself eagerly before it
// receives them.
const selfCredit = 256 << 10

// Send sends buf to rank dst and returns when buf can be used again, and if the
// mode is Synchronous, when the receive has begun. A short standard send does not
// wait for the receiver unless that is far behind.
//
// The error is, or wraps, a *RankError, *TagError, *LostError (the receiver has
// gone) or ErrFinalized.
func (e *Engine) Send(context uint32, dst, tag int, buf []byte, mode Mode) error {
	if e.trace != nil {
		return e.tracedSend(context, dst, tag, &btl.Buffer{Bytes: buf}, mode)
	}
	e.lock()
	var op *operation
	if mode == Standard {
		op = e.sendNow(context, dst, tag, Mark{}, buf, false)
	}
	if op == sent {
		e.unlock()
		return nil
	}
	err := e.sendSlow(op, context, dst, tag, &btl.Buffer{Bytes: buf}, mode)
	e.unlock()
	return err
}

// SendBuffer is Send from a buffer that may have a layout.
func (e *Engine) SendBuffer(context uint32, dst, tag int, buf btl.Buffer, mode Mode) error {
	if buf.Layout == nil && buf.Of == 0 {
		return e.Send(context, dst, tag, buf.Bytes, mode)
	}
	if e.trace != nil {
		return e.tracedSend(context, dst, tag, &buf, mode)
	}
	e.lock()
	if e.sendPacked(context, dst, tag, buf, mode) {
		e.unlock()
		return nil
	}
	err := e.sendSlow(nil, context, dst, tag, &buf, mode)
	e.unlock()
	return err
}

// sendSlow is Send with an operation, unless sendNow has begun one.
func (e *Engine) sendSlow(op *operation, context uint32, dst, tag int, buf *btl.Buffer, mode Mode) (err error) {
	if op == nil {
		op, err = e.send(context, dst, tag, elements(buf), buf, mode)
	}
	if err == nil {
		_, err = e.finish(op)
	}
	return err
}

// Isend begins a send and does not wait. buf must not be written to until
// the request is complete. Arguments are checked at once; that the receiver has gone
// is told by the wait.
func (e *Engine) Isend(context uint32, dst, tag int, buf []byte, mode Mode) (Request, error) {
	if e.trace != nil {
		return e.tracedIsend(context, dst, tag, &btl.Buffer{Bytes: buf}, mode)
	}
	e.lock()
	var op *operation
	if mode == Standard {
		op = e.sendNow(context, dst, tag, Mark{}, buf, true)
	}
	if op == sent {
		e.unlock()
		return Request{op: sent}, nil
	}
	r, err := e.isend(op, context, dst, tag, &btl.Buffer{Bytes: buf}, mode)
	e.unlock()
	return r, err
}

// IsendBuffer is Isend from a buffer that may have a layout.
func (e *Engine) IsendBuffer(context uint32, dst, tag int, buf btl.Buffer, mode Mode) (Request, error) {
	if buf.Layout == nil && buf.Of == 0 {
		return e.Isend(context, dst, tag, buf.Bytes, mode)
	}
	if e.trace != nil {
		return e.tracedIsend(context, dst, tag, &buf, mode)
	}
	e.lock()
	if e.sendPacked(context, dst, tag, buf, mode) {
		e.unlock()
		return Request{op: sent}, nil
	}
	r, err := e.isend(nil, context, dst, tag, &buf, mode)
	e.unlock()
	return r, err
}

// isend is Isend with an operation, unless sendNow has begun one.
func (e *Engine) isend(op *operation, context uint32, dst, tag int, buf *btl.Buffer, mode Mode) (_ Request, err error) {
	if op == nil {
		op, err = e.send(context, dst, tag, elements(buf), buf, mode)
	}
	if err == nil {
		e.progress()
	}
	return request(op, err)
}

// sendNow is the short way of a standard send: it returns sent if the message is on its way,
// without an operation of its own; one that is underway if the module keeps the buffer; and nil if the message
// can not go this way. nonblocking tells that the caller does not need the buffer at
// once: then a zero-copy attempt may be pending from its start.
func (e *Engine) sendNow(context uint32, dst, tag int, m Mark, buf []byte, nonblocking bool) *operation {
	if !e.fastPath(dst, tag) {
		return nil
	}
	by := e.to(dst)
	if len(buf) > by.eager {
		return nil
	}
	var t btl.Transfer
	var ok bool
	if h := e.head(context, int32(tag), m); nonblocking {
		t, ok = by.sendZeroCopy(dst, h, buf)
	} else {
		t, ok = by.Send(dst, h, buf)
	}
	if !ok {
		return nil
	}
	if e.trace != nil {
		e.traceNow(context, dst, tag, len(buf))
	}
	if t == nil {
		return sent
	}
	op := e.newOperation(sending, context, dst, tag)
	op.number = e.numbered
	op.buf.Bytes = buf
	e.move(op, t)
	return op
}

// fastPath tells whether a standard send may go straight to the module, if it is short.
func (e *Engine) fastPath(dst, tag int) bool {
	return !e.slowPath && uint(dst) < uint(e.size) && dst != e.rank && uint(tag) <= MaxTag
}

// sendPacked is sendNow from a buffer with a layout. It tells whether the message is on its
// way.
func (e *Engine) sendPacked(context uint32, dst, tag int, buf btl.Buffer, mode Mode) bool {
	if mode != Standard || buf.Of != 0 || !e.fastPath(dst, tag) {
		return false
	}
	by := e.to(dst)
	return buf.Len() <= by.eager && by.SendBuffer(dst, e.head(context, int32(tag), Mark{}), buf)
}

// send begins a send of any kind. The operation returned may be complete.
func (e *Engine) send(context uint32, dst, tag int, m Mark, buf *btl.Buffer, mode Mode) (*operation, error) {
	if e.slowPath || uint(dst) >= uint(e.size) || uint(tag) > MaxTag { // else nothing can be wrong
		if err := e.checkTarget(dst, tag); err != nil {
			return nil, err
		}
	}
	if err := MayWait(); err != nil { // before the receiver can know of it
		return nil, err
	}
	op := e.newOperation(sending, context, dst, tag)
	op.use(buf)
	op.mode, op.mark = mode, m
	e.startSend(op)
	return op, nil
}

// checkTarget returns an error unless a message may go there, with this tag.
func (e *Engine) checkTarget(dst, tag int) error {
	err := e.checkPeer(dst)
	if err == nil && dst != ProcNull {
		err = checkTag(tag)
	}
	return err
}

// startSend brings an idle send on its way.
func (e *Engine) startSend(op *operation) {
	if op.peer == ProcNull {
		e.complete(op, nil)
		return
	}
	if int(op.peer) == e.rank {
		e.sendSelf(op)
		return
	}
	if err := e.goneError(op.peer); err != nil {
		e.complete(op, err)
		return
	}
	if len(e.pending) > 0 && e.sendsTo(op.peer).ops.head != nil || !e.launch(op) {
		e.enqueue(op)
	}
}

// launch hands a send that has no predecessor to the module; false: the peer's ring is full, or not open yet.
func (e *Engine) launch(op *operation) bool {
	h := e.head(op.context, op.tag, op.mark)
	peer := int(op.peer)
	by := e.to(peer)
	if op.mode == Standard && op.buf.Len() <= by.eager {
		var t btl.Transfer
		var ok bool
		if op.buf.Layout != nil {
			ok = by.SendBuffer(peer, h, op.buf)
		} else {
			t, ok = by.sendZeroCopy(peer, h, op.buf.Bytes)
		}
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
	b := e.sendsTo(op.peer)
	if b.ops.head == nil {
		e.pending = append(e.pending, b)
		e.updateFastPath()
	}
	op.state = queued
	b.ops.push(&op.node)
	e.stats.Queued++
}

// sendsTo returns the sends to a peer.
func (e *Engine) sendsTo(peer int32) *peerSends {
	if b := e.lastTo; b != nil && b.peer == peer {
		return b
	}
	b := e.sends[peer]
	if b == nil {
		b = &peerSends{peer: peer}
		e.sends[peer] = b
	}
	e.lastTo = b
	return b
}

// flush launches the queued sends that their peers can take now.
func (e *Engine) flush() {
	for i := 0; i < len(e.pending); {
		b := e.pending[i]
		for n := b.ops.head; n != nil; n = b.ops.head {
			// Out of the queue first: launch puts the node elsewhere.
			b.ops.remove(n)
			if !e.launch(n.of) {
				b.ops.pushFront(n)
				break
			}
			e.moves++
		}
		if b.ops.head != nil {
			i++
			continue
		}
		last := len(e.pending) - 1
		e.pending[i] = e.pending[last]
		e.pending = e.pending[:last]
		e.updateFastPath()
	}
}

// sendSelf sends to this rank itself, which needs no module: either the receive is
// there, or the message is kept, with a copy of the bytes if it is short.
func (e *Engine) sendSelf(op *operation) {
	m := e.matcher(op.context)
	e.stats.SelfMessages++
	n := uint64(op.buf.Len())
	e.stats.SelfBytes += n
	if e.trace != nil {
		e.traceSent(op)
		e.arriving = op.number
	}
	if recv := m.match(op.peer, op.tag); recv != nil {
		recv.status, recv.mark = Status{Source: e.rank, Tag: int(op.tag)}, op.mark
		recv.number = e.arriving
		e.complete(recv, recv.fillFrom(&op.buf))
		e.complete(op, nil)
		return
	}
	msg := e.newMessage()
	msg.number = e.arriving
	msg.frame.Header = btl.Header{
		Source: op.peer, Tag: op.tag, Context: op.context, Length: n,
		Flags: op.mark.Number, Cookie: op.mark.Word,
	}
	if op.mode == Standard && n <= uint64(e.module.eager) && e.selfBytes+n <= selfCredit {
		e.selfBytes += n
		msg.origin = fromSelf
		msg.frame.Payload = msg.keepOf(&op.buf)
		e.complete(op, nil)
	} else {
		msg.origin, msg.sender = heldBySelf, op
		op.state = held
	}
	e.unexpected(m, msg)
}
