package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml/flow"
	"github.com/gopvas/gopvas/internal/msg/pml/route"
)

// How a message travels: package flow decides, and what is here does it. The module copies a standard send of at most
// the eager limit, and the send is over at once. Every other message is offered (rendezvous): longer ones, synchronous
// ones, and those for which the module has no credit. An offered message stays with its sender until the receiver takes
// it, which holds a sender back at last. If the peer's ring is full, the send is queued. Queued sends keep their order,
// and nothing overtakes them.
//
// As long as sends are ahead there is no short way: an attempt at zero copy behind them would be asked too seldom.

// simple tells whether a standard send is simple: nothing is wrong with it, no send is queued, the rank has not gone,
// and nobody records it. If it is short, it goes straight to the module, and needs no operation.
func (p *protocol) simple(dst, tag int) bool {
	return uint(dst) < uint(p.size) && p.passes(dst) && !p.trace.on() && dst != p.rank && uint(tag) <= MaxTag
}

// send begins a send of any kind. The operation returned may be complete: sent, if the message needed none. kept tells
// that the caller does not need the buffer at once: then a zero-copy attempt may be pending from its start.
func (p *protocol) send(context uint32, dst, tag int, m Mark, buf *btl.Buffer, mode Mode,
	kept bool) (*operation, error) {
	s := flow.Send{Patient: !kept}
	if mode == Standard && p.simple(dst, tag) {
		if op := p.sendNow(&s, context, dst, tag, m, buf); op != nil {
			return op, nil
		}
	} else if err := p.checkTarget(dst, tag); err != nil {
		return nil, err
	}
	if err := MayWait(); err != nil { // before the receiver can know of it
		return nil, err
	}
	op := p.newOperation(sending, context, dst, tag)
	op.use(buf)
	op.mode, op.mark = mode, m
	p.startSend(op, &s)
	return op, nil
}

// sendNow is send of a simple message, if it is short and the module takes it now; else nil.
func (p *protocol) sendNow(s *flow.Send, context uint32, dst, tag int, m Mark, buf *btl.Buffer) *operation {
	by := p.to(dst)
	s.Bytes, s.Eager = buf.Len(), by.Eager
	if s.Way() != flow.Eager {
		return nil
	}
	t, ok := by.SendShort(dst, p.head(context, int32(tag), m), buf, !s.Patient)
	switch {
	case !ok:
		p.refused(s, int32(dst), by)
		return nil
	case t == nil:
		return sent
	}
	op := p.newOperation(sending, context, dst, tag)
	op.buf.Bytes = buf.Bytes
	p.move(op, t)
	return op
}

// refused says what is known of a send that its module has refused.
func (p *protocol) refused(s *flow.Send, peer int32, by *route.Transport) {
	s.Refused, s.NoCredit = true, by.NoCredit()
	s.Room, s.Ahead = p.ahead.Fits(s.Bytes), p.sends.To(peer).Ahead()
}

// checkTarget returns an error unless a message may go there, with this tag.
func (p *protocol) checkTarget(dst, tag int) error {
	err := p.checkPeer(dst)
	if err == nil && dst != ProcNull {
		err = checkTag(tag)
	}
	return err
}

// startSend brings an idle send on its way.
func (p *protocol) startSend(op *operation, s *flow.Send) {
	err := p.gone.Error(op.context, op.Peer)
	s.Nobody, s.Itself, s.Lost = op.Peer == ProcNull, int(op.Peer) == p.rank, err != nil
	s.Behind = p.sends.Waiting() && p.sends.To(op.Peer).Queued()
	s.Synchronous, s.Bytes = op.mode == Synchronous, op.buf.Len()
	switch s.Way() {
	case flow.Over, flow.Lost:
		p.complete(op, err)
	case flow.Itself:
		p.sendSelf(op, s)
	case flow.Queued:
		p.enqueue(op)
	default:
		if !p.launch(op, s) {
			p.enqueue(op)
		}
	}
}

// launch hands a send that has no predecessor to the module. false: it has to wait.
func (p *protocol) launch(op *operation, s *flow.Send) bool {
	by := p.to(int(op.Peer))
	s.Eager = by.Eager
	way := s.Way()
	if way == flow.Eager {
		t, ok := by.SendShort(int(op.Peer), p.head(op.context, op.Tag, op.mark), &op.buf, !p.ahead.Used())
		if ok {
			p.launched(op, t)
			return true
		}
		p.refused(s, op.Peer, by)
		way = s.Way()
	}
	switch way {
	case flow.Ahead:
		return p.runAhead(op)
	case flow.Rendezvous:
		t, ok := by.Offer(int(op.Peer), p.head(op.context, op.Tag, op.mark), &op.buf)
		if op.offered = ok; ok {
			p.launched(op, t)
		}
		return ok
	}
	return false
}

// launched notes that a send has left. It is over unless it has a transfer.
func (p *protocol) launched(op *operation, t btl.Transfer) {
	if p.trace.on() {
		p.trace.sent(op)
	}
	if t != nil {
		p.move(op, t)
	} else {
		p.complete(op, nil)
	}
}

// head returns the header of a message, until the next call.
func (p *protocol) head(context uint32, tag int32, m Mark) *btl.Header {
	h := &p.header
	h.Tag, h.Context, h.Flags, h.Cookie = tag, context, m.Number, m.Word
	return h
}

// enqueue puts a send behind all others that are queued for its peer.
func (p *protocol) enqueue(op *operation) {
	p.sends.Queue(op.Peer, &op.flow)
	op.state = queued
	p.stats.Queued++
	p.updateFastPath()
}

// flush launches the queued sends that their peers can take now.
func (p *protocol) flush() {
	p.moves += uint64(p.sends.Flush(p.on.launch))
	p.updateFastPath()
}

// launchQueued is launch of a send that was queued.
func (p *protocol) launchQueued(op *operation) bool {
	s := flow.Send{Synchronous: op.mode == Synchronous, Bytes: op.buf.Len(),
		Patient: op.waiter != nil && !p.line.Looking()}
	return p.launch(op, &s)
}

// sendSelf sends to this rank itself, which needs no module: either the receive is
// there, or the message is kept, with a copy of the bytes if it is short.
func (p *protocol) sendSelf(op *operation, s *flow.Send) {
	p.stats.SelfMessages++
	p.stats.SelfBytes += uint64(s.Bytes)
	if p.trace.on() {
		p.trace.sent(op)
		p.trace.arriving = op.number
	}
	if recv := p.match.In(op.context).Arrive(op.Peer, op.Tag); recv != nil {
		recv.status, recv.mark = Status{Source: p.rank, Tag: int(op.Tag)}, op.mark
		recv.number = p.trace.arriving
		p.complete(recv, recv.fillFrom(&op.buf))
		p.complete(op, nil)
		return
	}
	msg := p.messages.take()
	msg.number = p.trace.arriving
	msg.frame.Header = btl.Header{
		Source: op.Peer, Tag: op.Tag, Context: op.context, Length: uint64(s.Bytes),
		Flags: op.mark.Number, Cookie: op.mark.Word,
	}
	s.Eager, s.Room = p.routes.First.Eager, p.toItself.Fits(s.Bytes)
	if s.Unexpected() == flow.Ahead {
		p.toItself.Take(s.Bytes)
		msg.origin = fromSelf
		msg.frame.Payload = msg.keepOf(&op.buf)
		p.complete(op, nil)
	} else {
		msg.origin, msg.sender = heldBySelf, op
		op.state = held
	}
	p.unexpected(msg)
}

// runAhead offers a copy of a send that is in no list, and completes the send. It returns false if the peer's ring is
// full.
func (p *protocol) runAhead(op *operation) bool {
	copied := p.newOperation(sending, op.context, int(op.Peer), int(op.Tag))
	copied.request, copied.mark, copied.buf.Of = 0, op.mark, op.buf.Of
	copied.buf.Bytes = p.spares.Take(op.buf.Len())
	op.buf.Pack(copied.buf.Bytes, 0)
	t, ok := p.to(int(op.Peer)).Offer(int(op.Peer), p.head(op.context, op.Tag, op.mark), &copied.buf)
	if !ok {
		p.spares.Keep(copied.buf.Bytes)
		p.discard(copied)
		return false
	}
	if p.trace.on() {
		p.trace.sent(op)
	}
	copied.offered, copied.left, copied.ahead = true, true, true
	p.ahead.Take(copied.buf.Len())
	p.updateFastPath()
	p.move(copied, t)
	p.complete(op, nil)
	return true
}

// arrived notes that a send that was ahead is complete.
func (p *protocol) arrived(op *operation) {
	op.ahead = false
	p.spares.Keep(op.buf.Bytes)
	if p.ahead.Give(op.buf.Len()); !p.ahead.Used() {
		p.updateFastPath()
	}
}
