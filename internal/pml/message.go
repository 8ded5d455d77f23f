package pml

import (
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/pml/match"
)

// origin is where the bytes of an unexpected message are, and so what is due when
// they are consumed.
type origin uint8

const (
	delivered  origin = iota // in the frame: Release it
	offered                  // with the sender: Accept the frame
	fromSelf                 // copied from a send of this rank, which is over
	heldBySelf               // in the buffer of a send of this rank, which is held
)

// message is a message that has no receive yet: it is unexpected, or was taken by a
// matched probe. Messages are used again.
type message struct {
	match.Message[message]
	frame      btl.Frame // a copy of the module's
	origin     origin
	sender     *operation // heldBySelf
	copied     []byte     // bytes that the frame does not keep
	number     uint32     // in the trace
	generation uint32     // how often the message was discarded; see Message
}

// messageOf returns the unexpected message of a send of this rank to itself, which is held; nil if there is none.
func (e *Engine) messageOf(op *operation) *message {
	for msg := range e.match.In(op.context).Messages() {
		if msg.sender == op {
			return msg
		}
	}
	return nil
}

// Message is a message that Mprobe has taken out of the matching, for one receive.
type Message struct {
	msg        *message
	generation uint32
	null       bool // from ProcNull
}

// keepable is the largest buffer that a message in the pool keeps. It covers messages
// that come inline.
const keepable = 256

// messages are those that are used again.
type messages struct{ unused []*message }

func (p *messages) take() *message {
	if last := len(p.unused) - 1; last >= 0 {
		msg := p.unused[last]
		p.unused = p.unused[:last]
		return msg
	}
	msg := &message{}
	msg.Init(msg)
	return msg
}

// put takes a message back that was consumed.
func (p *messages) put(msg *message) {
	msg.generation++
	msg.frame = btl.Frame{}
	msg.sender = nil
	if cap(msg.copied) > keepable {
		msg.copied = nil
	}
	p.unused = append(p.unused, msg)
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
func (e *Engine) unexpected(msg *message) {
	msg.Source, msg.Tag = msg.frame.Source, msg.frame.Tag
	c := e.match.In(msg.frame.Context)
	c.Add(&msg.Message)
	if msg.Tag >= AskTag && msg.Tag < MaxTag { // programs use MaxTag
		e.refusals.came.Add(1)
	}
	e.stats.Unexpected++
	e.stats.unexpectedNow++
	e.stats.UnexpectedHigh = max(e.stats.UnexpectedHigh, e.stats.unexpectedNow)
	for op := c.NextProbe(&msg.Message); op != nil; op = c.NextProbe(&msg.Message) {
		op.status = msg.status()
		if op.kind == picking {
			op.message = msg
			e.pick(msg)
			e.complete(op, nil)
			return
		}
		e.complete(op, nil)
	}
}

// pick takes an unexpected message out of the matching for a later receive.
func (e *Engine) pick(msg *message) {
	e.taken(msg)
	e.stats.matchedNow++
}

// taken takes an unexpected message out of the matching.
func (e *Engine) taken(msg *message) {
	e.match.In(msg.frame.Context).Take(&msg.Message)
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
		e.toItself.Give(int(msg.frame.Length))
		op.status, op.mark = msg.status(), msg.mark()
		e.complete(op, op.fill(msg.frame.Payload, msg.frame.Length))
	case heldBySelf:
		op.status, op.mark = msg.status(), msg.mark()
		e.complete(op, op.fillFrom(&msg.sender.buf))
		e.complete(msg.sender, nil)
	}
	e.messages.put(msg)
}
