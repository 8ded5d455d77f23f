package pml

import (
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/trace"
)

// Probe returns the status of the message that Recv with the same arguments would
// find, and leaves it where it is. It blocks until there is something. With several goroutines that receive
// from the same source another may get the message first: use Mprobe. Errors are
// those of Recv.
func (e *Engine) Probe(context uint32, src, tag int) (Status, error) {
	_, st, err := e.await(probing, context, src, tag)
	return st, err
}

// Mprobe is Probe that takes the message out of the matching: only Mrecv can
// receive it. It must be received.
func (e *Engine) Mprobe(context uint32, src, tag int) (Message, Status, error) {
	return e.await(picking, context, src, tag)
}

// Iprobe is Probe that does not block: ok tells whether there is something.
func (e *Engine) Iprobe(context uint32, src, tag int) (st Status, ok bool, err error) {
	_, st, ok, err = e.look(probing, context, src, tag)
	return st, ok, err
}

// Improbe is Mprobe that does not block: ok tells whether there is something.
func (e *Engine) Improbe(context uint32, src, tag int) (m Message, st Status, ok bool, err error) {
	return e.look(picking, context, src, tag)
}

// await is a probe that blocks.
func (e *Engine) await(k kind, context uint32, src, tag int) (m Message, st Status, err error) {
	e.lock()
	defer e.unlock()
	if err := e.checkSource(src, tag); err != nil {
		return Message{}, noStatus, err
	}
	c := e.beginCall(trace.Probe, -1)
	defer func() {
		if err == nil {
			e.endProbe(c, context, st)
		}
	}()
	// As long as there is something, matching tells it without an operation.
	if m, st, ok := e.search(k, context, src, tag); ok {
		return m, st, nil
	}
	if err := e.gone.Error(context, int32(src)); err != nil {
		return Message{}, noStatus, err
	}
	op := e.newOperation(k, context, src, tag)
	op.state = posted
	e.match.In(context).Await(&op.Receive)
	if err := e.wait(op, ""); err != nil {
		e.giveUp(op)
		return Message{}, noStatus, err
	}
	st, err = op.status, op.err
	if msg := op.message; msg != nil {
		m = Message{msg: msg, generation: msg.generation}
	}
	e.release(op)
	return m, st, err
}

// AwaitMessage waits until a probe would find a message, or an error, or a time is over. It returns whether a probe
// would find something. See NewCondition for say, which says that another goroutine can end the wait.
func (e *Engine) AwaitMessage(context uint32, src, tag int, within time.Duration,
	say func() job.Waiting) (bool, error) {
	if err := MayWait(); err != nil {
		return false, err
	}
	var late atomic.Bool
	found := false
	c := e.NewCondition(func() bool {
		found = e.match.In(context).Find(int32(src), int32(tag)) != nil || e.gone.Error(context, int32(src)) != nil
		return found || late.Load()
	}, say)
	c.of.Inside = true
	timer := time.AfterFunc(within, func() { // beside OneThread, too: it takes no lock
		late.Store(true)
		e.routes.First.Wake()
	})
	defer timer.Stop()
	err := c.Wait()
	return found, err
}

// look is a probe that does not block.
func (e *Engine) look(k kind, context uint32, src, tag int) (m Message, st Status, ok bool, err error) {
	if m, st, ok, err = e.glance(k, context, src, tag); !ok {
		e.GiveWay()
	}
	return m, st, ok, err
}

func (e *Engine) glance(k kind, context uint32, src, tag int) (m Message, st Status, ok bool, err error) {
	e.lock()
	defer e.unlock()
	if err := e.checkSource(src, tag); err != nil {
		return Message{}, noStatus, false, err
	}
	c := e.beginCall(trace.Probe, -1)
	if m, st, ok = e.search(k, context, src, tag); !ok {
		e.progress()
		m, st, ok = e.search(k, context, src, tag)
	}
	if ok {
		e.endProbe(c, context, st)
	} else {
		if err = e.gone.Error(context, int32(src)); err == nil {
			err = MayWait()
		}
		if e.notice.PollsDue() {
			e.sayPolls(polls[k], job.Operation{Op: job.OpProbe, Peer: int32(src), Tag: int32(tag)}, nil)
		}
	}
	return m, st, ok, err
}

// search asks what has come.
func (e *Engine) search(k kind, context uint32, src, tag int) (m Message, st Status, ok bool) {
	if src == ProcNull {
		return Message{null: true}, nobody, true
	}
	msg := e.match.In(context).Find(int32(src), int32(tag))
	if msg == nil {
		return Message{}, noStatus, false
	}
	if k == picking {
		m = Message{msg: msg, generation: msg.generation}
		e.pick(msg)
	}
	return m, msg.status(), true
}

// Mrecv receives a message that Mprobe has taken. It blocks until the bytes are
// there, for which it needs nothing but that the sender lives. The message becomes
// the zero Message, which cannot be received: ErrNoMessage.
func (e *Engine) Mrecv(m *Message, buf btl.Buffer) (Status, error) {
	e.lock()
	defer e.unlock()
	c := e.beginCall(trace.Recv, -1)
	op, err := e.receiveMatched(m, buf)
	if err != nil {
		e.endCall(c, nil, err)
		return noStatus, err
	}
	return e.finish(op, c)
}

// Imrecv is Mrecv that does not wait. buf must not be read or
// written until the request is complete.
func (e *Engine) Imrecv(m *Message, buf btl.Buffer) (Request, error) {
	e.lock()
	defer e.unlock()
	c := e.beginCall(trace.Irecv, -1)
	op, err := e.receiveMatched(m, buf)
	e.endCall(c, op, err)
	return request(op, err)
}

func (e *Engine) receiveMatched(m *Message, buf btl.Buffer) (*operation, error) {
	msg, null := m.msg, m.null
	if msg != nil && msg.generation != m.generation {
		msg = nil
	}
	*m = Message{}
	switch {
	case e.closed:
		return nil, ErrFinalized
	case null:
		op := e.newOperation(receiving, 0, ProcNull, AnyTag)
		op.use(&buf)
		e.startReceive(op)
		return op, nil
	case msg == nil:
		return nil, ErrNoMessage
	}
	h := &msg.frame.Header
	op := e.newOperation(receiving, h.Context, int(h.Source), int(h.Tag))
	op.use(&buf)
	// A copy of m is stale from here on: a message consumed twice would be released
	// twice. (consume discards it.)
	e.stats.matchedNow--
	e.consume(op, msg)
	return op, nil
}

// Unreceived returns how many messages have come that no receive has matched, in the contexts that want says, and what
// a probe would tell of one.
func (e *Engine) Unreceived(want func(context uint32) bool) (n int, one Status) {
	e.lock()
	defer e.unlock()
	e.progressAll()
	for context, c := range e.match.Contexts() {
		if !want(context) {
			continue
		}
		for msg := range c.Messages() {
			if n++; n == 1 {
				one = msg.status()
			}
		}
	}
	return n, one
}

// Uses tells whether an operation that was begun and not waited for has memory in common with a buffer that is to be
// received into. A send that is over counts no more, since its call may be the one that was waited for.
func (e *Engine) Uses(b *btl.Buffer) bool {
	e.lock()
	defer e.unlock()
	for _, op := range e.pool.all {
		uses := false
		switch op.state {
		case queued, held, moving:
			uses = !op.ahead
		case posted, complete:
			uses = op.kind == receiving
		}
		if uses && op.kind <= receiving && op.buf.Meets(b) {
			return true
		}
	}
	return false
}
