package pml

import "github.com/gopvas/gopvas/btl"

// Notices are short messages that are not received but heard: their rank is told of them
// as soon as it looks for messages, in whatever call it is, also if it is through with what
// they are about. Like all messages those of one rank to another are heard in the order in
// which they were sent, and before messages that were sent later are received. All that
// they say is in the header, so that they need neither room nor, at the receiver, a buffer.

// Notice is what a notice says.
type Notice struct {
	Kind   uint32 // below 1<<31
	Number uint32 // below 1<<31
	Word   uint64
}

// Mark is what goes along with a message of a task beside its tag. The engine looks at
// nothing of it.
type Mark struct {
	Number uint32 // below 1<<30
	Word   uint64
}

// Listener hears the notices of a rank. Its methods are called under the engine's lock,
// while messages are looked for, and so may begin operations through Inside alone.
type Listener interface {
	Hear(from int, context uint32, n Notice)

	// Unexpected is told of a message of a task that no receive waits for when it
	// arrives. It is kept as others are.
	Unexpected(from int, context uint32, tag int, m Mark)
}

// SetListener is called before the engine is used. Without a listener notices are lost.
func (e *Engine) SetListener(l Listener) { e.listener = l }

// What btl.Header.Flags has: of a notice its kind, of a message of a task its number.
const (
	noticeFlag = 1 << 31
	markFlag   = 1 << 30
)

// Tell sends a notice to another rank. Nothing tells whether it arrives: the rank may
// have gone.
func (in Inside) Tell(context uint32, dst int, n Notice) {
	e := in.e
	op := e.newOperation(sending, context, dst, int(n.Number), btl.Buffer{})
	op.flags, op.cookie, op.left = noticeFlag|n.Kind, n.Word, true
	e.startSend(op)
}

// hear hands a notice to the listener.
func (e *Engine) hear(f *btl.Frame) {
	from, context := int(f.Source), f.Context
	n := Notice{Kind: f.Flags &^ noticeFlag, Number: uint32(f.Tag), Word: f.Cookie}
	if !f.Offered {
		e.module.Release(f)
	} else if t := e.module.Accept(f, btl.Buffer{}); t != nil {
		op := e.newOperation(receiving, context, from, AnyTag, btl.Buffer{})
		op.left = true
		e.move(op, t)
	}
	if e.listener != nil {
		e.listener.Hear(from, context, n)
	}
}
