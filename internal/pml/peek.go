package pml

import (
	"fmt"

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
		if e.reports.Load() != e.reported {
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
	e.reported = e.reports.Load()
	p := job.Polls{Operation: asked, Call: call, Source: recorder.Caller()}
	for _, o := range e.pool.all {
		if o != op && o.request != step && o.state != free && o.state != idle && o.state != complete {
			p.Add(o.asked())
		}
	}
	e.job.SetPolls(e.rank, e.reported, p)
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
