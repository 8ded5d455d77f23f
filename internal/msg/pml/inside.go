package pml

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
)

// Inside is the engine for code that is called under its lock: operations that a Task begins in
// Progress, and their state.
type Inside struct{ p *protocol }

// Isend is Engine.Isend of a message that carries a mark.
func (in Inside) Isend(context uint32, dst, tag int, m Mark, buf btl.Buffer) (Request, error) {
	in.p.trace.beginning = step
	defer in.p.trace.begun()
	return request(in.p.send(context, dst, tag, m, &buf, Standard, true))
}

// Post begins to send a short message and returns at once: nobody waits for its end. If it does not leave at once,
// later calls of this rank send it. buf must not change any more.
func (in Inside) Post(context uint32, dst, tag int, m Mark, buf []byte) error {
	r, err := in.Isend(context, dst, tag, m, btl.Buffer{Bytes: buf})
	if err == nil {
		in.Leave(&r)
	}
	return err
}

// Irecv is Engine.Irecv.
func (in Inside) Irecv(context uint32, src, tag int, buf btl.Buffer) (Request, error) {
	in.p.trace.beginning = step
	defer in.p.trace.begun()
	return request(in.p.receive(context, src, tag, &buf))
}

// Take is Request.Take. The mark is that of the message that was received.
func (in Inside) Take(r *Request) (st Status, m Mark, done bool, err error) {
	op := r.active()
	switch {
	case op == nil:
		return noStatus, m, true, nil
	case op.state != complete:
		return noStatus, m, false, nil
	}
	m = op.mark
	if in.p.trace.on() {
		in.p.trace.taken(op)
	}
	st, err = in.p.collect(r)
	return st, m, true, err
}

// Completions counts the operations that have become complete: while it stays the same,
// Take has nothing new to tell.
func (in Inside) Completions() uint64 { return in.p.completions }

// Leave is Request.Leave.
func (in Inside) Leave(r *Request) {
	switch op := r.active(); {
	case op == nil || op == sent:
	case op.state == complete:
		in.p.discard(op)
	default:
		op.left, op.handle = true, 0
	}
	*r = Request{}
}

// Drop withdraws a receive that is not to be waited for any more, if it has not
// found its message.
func (in Inside) Drop(r *Request) {
	if op := r.active(); op != nil && op.state == posted {
		in.p.match.In(op.context).Withdraw(&op.Receive)
		in.p.discard(op)
		*r = Request{}
	}
}

// Receive receives a message that has come. later: there is one, and its bytes have not come yet; the next call with
// the same request and buffer goes on.
func (in Inside) Receive(context uint32, src, tag int, buf []byte, r *Request) (st Status, ok, later bool) {
	var err error
	if r.active() == nil {
		if *r, err = in.Irecv(context, src, tag, btl.Buffer{Bytes: buf}); err != nil {
			return noStatus, false, false
		}
	}
	st, _, ok, err = in.Take(r)
	in.Drop(r)
	return st, ok && err == nil, r.active() != nil
}

// Together says that standard messages are about to be sent together, by the caller: a
// module with several network devices then makes one plan for all of them. It sends nothing.
func (in Inside) Together(messages []btl.Member) { in.p.routes.Together(messages) }

// Idle tells whether this rank has nothing left in some contexts: no operation, also none
// that is complete and was not waited for or is persistent and not freed, and no
// message that was not received. Then the contexts can be used for something else,
// provided that nobody still sends in them. Idle does not look for messages that have
// just arrived. It takes time in proportion to the operations that the program has needed lately.
func (in Inside) Idle(contexts ...uint32) bool { return in.p.idle(contexts) }

// Unreceived returns how many messages have come that no receive has matched, in the contexts that want says, and what
// a probe would tell of one.
func (in Inside) Unreceived(want func(context uint32) bool) (n int, one Status) {
	in.p.lookAtAll()
	return in.p.unreceived(want)
}

// Uses tells whether an operation that was begun and not waited for has memory in common with a buffer that is to be
// received into. A send that is over counts no more, since its call may be the one that was waited for.
func (in Inside) Uses(b *btl.Buffer) bool { return in.p.uses(b) }

// AskTag is the first of the AskTags tags of questions: messages that no receive waits for. Questions counts those that
// have come, in any context: a communicator that may have to answer one looks when the count has changed.
const (
	AskTag  = 1<<31 - 1 - AskTags
	AskTags = 1 << 24
)

// questions is what a rank knows of questions about calls that were refused at others.
type questions struct {
	came    atomic.Uint32                        // see AskTag
	seen    uint32                               // of them, when all of answers had looked
	answers map[uint32]func(Inside) (later bool) // by context; see Respond
}

// note counts a question in a context. Nobody looks for one in others: programs use these tags, too. Respond's caller
// looks by itself for what came before.
func (q *questions) note(context uint32) {
	if q.answers[context] != nil {
		q.came.Add(1)
	}
}

// look calls the functions of Respond if questions have come.
func (q *questions) look(in Inside) {
	if q.came.Load() == q.seen {
		return
	}
	came, later := q.came.Load(), false
	for _, f := range q.answers {
		later = f(in) || later
	}
	if !later {
		q.seen = came
	}
}

// Respond has a function called when questions have come, by whoever makes progress, and again if it returns true. It
// takes the place of an earlier one of the context.
func (in Inside) Respond(context uint32, f func(Inside) (later bool)) {
	q := &in.p.questions
	if q.answers == nil {
		q.answers = map[uint32]func(Inside) (later bool){}
	}
	q.answers[context] = f
}
