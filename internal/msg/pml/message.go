package pml

import (
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml/match"
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

// status is the result of a probe that finds the message.
func (msg *message) status() Status {
	h := &msg.frame.Header
	return Status{Source: int(h.Source), Tag: int(h.Tag), Bytes: h.Length}
}

func (msg *message) mark() Mark { return Mark{msg.frame.Flags, msg.frame.Cookie} }
