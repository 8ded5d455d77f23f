package pml

import "github.com/gopvas/gopvas/internal/job"

// Peek returns what Test would, and leaves the request as it is: it can be waited for as
// before. It makes progress and does not block.
func (e *Engine) Peek(r *Request) (st Status, done bool, err error) {
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
			e.sayPolls(op.describe())
		}
		return noStatus, false, nil
	}
	return op.status, true, op.err
}

// sayPolls answers a report: the rank polls for this, which is not there.
func (e *Engine) sayPolls(w job.Waiting) {
	e.reported = e.reports.Load()
	e.job.SetPolls(e.rank, e.reported, job.Polls{Op: w.Op, Peer: w.Peer, Tag: w.Tag, Bytes: w.Bytes})
}
