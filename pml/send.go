package pml

import "github.com/gopvas/gopvas/btl"

// Protocol choice. A standard send of at most the eager limit is copied by the
// module and over at once. If the module has no credit for it, and for every longer
// or synchronous send, the message is offered: it stays with its sender until the
// receiver takes it, which holds a sender back that runs ahead. If there is no room
// for an offer either, the send is queued at its peer; queued sends keep their
// order, and nothing overtakes them.

// backlog are the sends to one peer that are not over, in the order in which they
// were begun: first those underway, which the peer most often takes in this order, then
// those that wait for room.
type backlog struct {
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
	e.lock()
	op, sent := e.sendNow(context, dst, tag, buf, mode)
	if sent && op == nil {
		e.mu.Unlock()
		return nil
	}
	var err error
	if !sent {
		op, err = e.send(context, dst, tag, 0, 0, buf, mode)
	}
	if err == nil {
		_, err = e.finish(op)
	}
	e.mu.Unlock()
	return err
}

// Isend begins a send and does not wait. buf is lent, not to be written to, until
// the request is complete. Arguments are checked at once; that the receiver has gone
// is told by the wait.
func (e *Engine) Isend(context uint32, dst, tag int, buf []byte, mode Mode) (Request, error) {
	e.lock()
	op, over := e.sendNow(context, dst, tag, buf, mode)
	if over && op == nil {
		e.mu.Unlock()
		return Request{op: sent}, nil
	}
	var err error
	if !over {
		op, err = e.send(context, dst, tag, 0, 0, buf, mode)
	}
	var r Request
	if err == nil {
		r = Request{op: op, generation: op.generation}
		e.progress()
	}
	e.mu.Unlock()
	return r, err
}

// sendNow is the short way: it sends without an operation, or returns false. There is an
// operation, in rare cases, if the module keeps the buffer.
func (e *Engine) sendNow(context uint32, dst, tag int, buf []byte, mode Mode) (*operation, bool) {
	if mode != Standard || len(buf) > e.eager || e.unusual ||
		uint(dst) >= uint(e.size) || dst == e.rank || uint(tag) > MaxTag {
		return nil, false
	}
	t, sent := e.module.Send(dst, btl.Header{Tag: int32(tag), Context: context}, buf)
	if t == nil {
		return nil, sent
	}
	op := e.newOperation(sending, context, dst, tag, buf)
	e.move(op, t)
	return op, true
}

// send begins a send of any kind. The operation returned may be complete.
func (e *Engine) send(context uint32, dst, tag int, flags uint32, cookie uint64, buf []byte, mode Mode) (*operation, error) {
	err := e.checkPeer(dst)
	if err == nil && dst != ProcNull {
		err = checkTag(tag)
	}
	if err != nil {
		return nil, err
	}
	op := e.newOperation(sending, context, dst, tag, buf)
	op.mode, op.flags, op.cookie = mode, flags, cookie
	e.startSend(op)
	return op, nil
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
	if b := e.backlogs[op.peer]; b != nil && b.ops.head != nil || !e.launch(op) {
		e.enqueue(op)
	}
}

// launch hands a send that has no predecessor to the module; false: no room.
func (e *Engine) launch(op *operation) bool {
	h := btl.Header{Tag: op.tag, Context: op.context, Flags: op.flags, Cookie: op.cookie}
	peer := int(op.peer)
	if op.mode == Standard && len(op.buf) <= e.eager {
		if t, sent := e.module.Send(peer, h, op.buf); t != nil {
			e.move(op, t)
			return true
		} else if sent {
			e.complete(op, nil)
			return true
		}
	}
	t, ok := e.module.Offer(peer, h, op.buf)
	if ok {
		e.move(op, t)
	}
	return ok
}

// enqueue puts a send behind all others to its peer that wait for room.
func (e *Engine) enqueue(op *operation) {
	b := e.backlog(op.peer)
	if b.ops.head == nil {
		e.crowded = append(e.crowded, b)
		e.judge()
	}
	op.state = queued
	b.ops.push(&op.node)
	e.stats.Queued++
}

// backlog returns the sends to a peer.
func (e *Engine) backlog(peer int32) *backlog {
	b := e.backlogs[peer]
	if b == nil {
		b = &backlog{peer: peer}
		e.backlogs[peer] = b
	}
	return b
}

// flush launches what there is room for now.
func (e *Engine) flush() {
	for i := 0; i < len(e.crowded); {
		b := e.crowded[i]
		for n := b.ops.head; n != nil; n = b.ops.head {
			// Out of the queue first: launch puts the node elsewhere.
			b.ops.remove(n)
			if !e.launch(n.of) {
				b.ops.pushFront(n)
				break
			}
		}
		if b.ops.head != nil {
			i++
			continue
		}
		last := len(e.crowded) - 1
		e.crowded[i] = e.crowded[last]
		e.crowded = e.crowded[:last]
		e.judge()
	}
}

// sendSelf sends to this rank itself, which needs no module: either the receive is
// there, or the message is kept, with a copy of the bytes if it is short.
func (e *Engine) sendSelf(op *operation) {
	m := e.matcher(op.context)
	e.stats.SelfMessages++
	e.stats.SelfBytes += uint64(len(op.buf))
	if recv := m.match(op.peer, op.tag); recv != nil {
		recv.status, recv.cookie = Status{Source: e.rank, Tag: int(op.tag)}, op.cookie
		e.complete(recv, recv.fill(op.buf, uint64(len(op.buf))))
		e.complete(op, nil)
		return
	}
	msg := e.newMessage()
	msg.frame.Header = btl.Header{
		Source: op.peer, Tag: op.tag, Context: op.context, Length: uint64(len(op.buf)), Cookie: op.cookie,
	}
	n := uint64(len(op.buf))
	if op.mode == Standard && len(op.buf) <= e.eager && e.selfBytes+n <= selfCredit {
		e.selfBytes += n
		msg.origin = fromSelf
		msg.frame.Payload = msg.keep(op.buf)
		e.complete(op, nil)
	} else {
		msg.origin, msg.sender = lentBySelf, op
		op.state = held
	}
	e.unexpected(m, msg)
}
