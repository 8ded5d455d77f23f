package pml

import (
	"fmt"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/trace/recorder"
)

// Peek returns what Test would, and leaves the request as it is: it can be waited for as
// before. It makes progress and does not block.
func (e *Engine) Peek(r *Request) (st Status, done bool, err error) {
	if st, done, err = e.peek(r); !done {
		e.GiveWay()
	}
	return st, done, err
}

func (e *Engine) peek(r *Request) (st Status, done bool, err error) {
	e.lock()
	defer e.unlock()
	op := r.active()
	if op != nil && op.state != complete {
		e.progress()
	}
	switch {
	case op == nil:
		return noStatus, true, nil
	case op.state != complete:
		if e.notice.PollsDue() {
			e.sayPolls("get status", op.asked(), op)
		}
		return noStatus, false, MayWait()
	}
	return op.status, true, op.err
}

// Describe is for a task whose part the request is: it says what the request waits for. The lock is held.
func (r *Request) Describe(w *job.Waiting) {
	op := r.active()
	if op == nil || op.state == complete {
		return
	}
	*w = op.describe()
	if op.kind == tasking && op.state == moving {
		op.task.Describe(w)
	}
}

// polls are the names of probes that do not block.
var polls = [...]string{probing: "iprobe", picking: "improbe"}

// sayPolls answers a report: the rank polls for this, which is not there, in a call. op is the operation, if it has
// one.
func (e *Engine) sayPolls(call string, asked job.Operation, op *operation) {
	p := job.Polls{Operation: asked, Call: call, Source: recorder.Caller()}
	for _, o := range e.pool.all {
		if o != op && o.request != step && o.state != free && o.state != idle && o.state != complete {
			p.Add(o.asked())
		}
	}
	e.notice.SetPolls(p)
}

// asked is describe for a rank that polls.
func (op *operation) asked() job.Operation {
	w := op.describe()
	if op.kind == tasking && op.state == moving {
		op.task.Describe(&w)
	}
	o := w.Operation()
	if c := &w.Collective; o.Op == job.OpCollective {
		_, name := c.On()
		o.Name = fmt.Sprintf("%s on %q", c.Name, name)
		if name == "" {
			o.Name = fmt.Sprintf("%s on context %d", c.Name, w.Context)
		}
	}
	return o
}

// AskTag is the first of the AskTags tags of questions: messages that no receive waits for. Questions counts those that
// have come, in any context: a communicator that may have to answer one looks when the count has changed.
const (
	AskTag  = 1<<31 - 1 - AskTags
	AskTags = 1 << 24
)

// Questions is described with AskTag. It needs no lock.
func (in Inside) Questions() uint32 { return in.e.refusals.came.Load() }

// refusals is what a rank knows of questions about calls that were refused at others.
type refusals struct {
	came    atomic.Uint32                        // see AskTag
	seen    uint32                               // of them, when all of answers had looked
	answers map[uint32]func(Inside) (later bool) // by context; see Respond
}

// Respond has a function called when questions have come, by whoever makes progress, and again if it returns true. It
// takes the place of an earlier one of the context.
func (in Inside) Respond(context uint32, f func(Inside) (later bool)) {
	q := &in.e.refusals
	if q.answers == nil {
		q.answers = map[uint32]func(Inside) (later bool){}
	}
	q.answers[context] = f
}

// look calls the functions of Respond if questions have come.
func (q *refusals) look(in Inside) {
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

// Within calls f under the lock of the engine.
func (e *Engine) Within(f func(Inside)) {
	e.lock()
	defer e.unlock()
	f(e.Inside())
}
