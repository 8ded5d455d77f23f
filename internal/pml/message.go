package pml

import (
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/job"
)

// Message is a message that Mprobe has taken out of the matching, for one receive.
type Message struct {
	msg        *message
	generation uint32
	null       bool // from ProcNull
}

// keepable is the largest buffer that a message in the pool keeps. It covers messages
// that come inline.
const keepable = 256

func (e *Engine) newMessage() *message {
	msg := e.messages.pop()
	if msg == nil {
		msg = &message{}
		msg.inAll.of, msg.inSource.of = msg, msg
	}
	return msg
}

// discard returns a message that was consumed to the pool.
func (e *Engine) discardMessage(msg *message) {
	msg.generation++
	msg.frame = btl.Frame{}
	msg.sender = nil
	if cap(msg.copied) > keepable {
		msg.copied = nil
	}
	e.messages.push(&msg.inAll)
}

// keepOf is keep for the bytes of a buffer.
func (msg *message) keepOf(b *btl.Buffer) []byte {
	if b.Layout == nil {
		return msg.keep(b.Bytes)
	}
	msg.copied = slices.Grow(msg.copied[:0], b.Len())[:b.Len()]
	b.Pack(msg.copied, 0)
	return msg.copied
}

// keep copies bytes to where they are the message's own.
func (msg *message) keep(p []byte) []byte {
	msg.copied = append(msg.copied[:0], p...)
	return msg.copied
}

// unexpected adds a message that no posted receive matches, and tells the probes
// that wait for one.
func (e *Engine) unexpected(m *matcher, msg *message) {
	m.add(msg)
	e.stats.Unexpected++
	e.stats.unexpectedNow++
	e.stats.UnexpectedHigh = max(e.stats.UnexpectedHigh, e.stats.unexpectedNow)
	for n := m.probes.head; n != nil; {
		op := n.of
		n = n.next
		if (op.peer == AnySource || op.peer == msg.frame.Source) && op.accepts(msg.frame.Tag) {
			m.probes.remove(&op.node)
			op.status = msg.status()
			if op.kind == picking {
				op.message = msg
				e.pick(m, msg)
				e.complete(op, nil)
				return
			}
			e.complete(op, nil)
		}
	}
}

// pick takes an unexpected message out of the matching for a later receive.
func (e *Engine) pick(m *matcher, msg *message) {
	e.taken(m, msg)
	e.stats.matchedNow++
}

// taken takes an unexpected message out of the matching.
func (e *Engine) taken(m *matcher, msg *message) {
	m.take(msg)
	e.stats.unexpectedNow--
}

// status is the result of a probe that finds the message.
func (msg *message) status() Status {
	h := &msg.frame.Header
	return Status{Source: int(h.Source), Tag: int(h.Tag), Bytes: h.Length}
}

func (msg *message) mark() Mark { return Mark{msg.frame.Flags, msg.frame.Cookie} }

// consume fills a receive with a message that is in no queue any more.
func (e *Engine) consume(op *operation, msg *message) {
	e.arriving, op.number = msg.number, msg.number
	switch msg.origin {
	case delivered, offered:
		e.receiveFrame(op, &msg.frame)
	case fromSelf:
		e.selfBytes -= msg.frame.Length + job.AheadCost
		op.status, op.mark = msg.status(), msg.mark()
		e.complete(op, op.fill(msg.frame.Payload, msg.frame.Length))
	case heldBySelf:
		op.status, op.mark = msg.status(), msg.mark()
		e.complete(op, op.fillFrom(&msg.sender.buf))
		e.complete(msg.sender, nil)
	}
	e.discardMessage(msg)
}
