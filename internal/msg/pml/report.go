package pml

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/pml/wait"
	"github.com/gopvas/gopvas/internal/msg/recorder"
	"github.com/gopvas/gopvas/internal/node/job"
)

// report is what a rank tells others of itself by the root block: what it waits for or polls for, to the hang report
// and the proof of a deadlock; and its counters. It looks at the operations, and changes none.
type report struct {
	job    Job
	p      *protocol
	line   *wait.Line[operation]
	notice wait.Notice
	saying job.Waiting // while it is put together: here, since that allocates nothing
	row    []uint64    // of publish
	bound  int         // see Bound
}

func (r *report) init(j Job, p *protocol, line *wait.Line[operation]) {
	r.job, r.p, r.line = j, p, line
	r.notice.Init(j, p.rank)
}

// announce says what a waiter waits for, unless there is none or that was said.
func (r *report) announce(w *waiter) (did bool) {
	if w == nil || r.notice.Announced(&w.Said) || w.Done() {
		return false
	}
	say := r.describe(w)
	r.notice.Announce(&w.Said, say, r.unseen(w, &say), r.p.completions)
	return true
}

// withdraw is called when a wait is over. The root block says no more that this rank waits for it.
func (r *report) withdraw(w *waiter) {
	if r.notice.Announced(&w.Said) {
		r.notice.Withdraw()
		r.announce(r.line.ReportedBehindServer())
	}
}

// told tells whether the wait is the one that others are told of, and lasts.
func (r *report) told(w *waiter) bool { return w != nil && r.notice.Announced(&w.Said) && !w.Done() }

// say describes the wait that was announced again.
func (r *report) say(w *waiter) {
	say := r.describe(w)
	r.notice.Say(say, r.unseen(w, &say), r.p.completions)
}

// unseen tells whether something that this rank knows nothing of may end a wait: a rank of another job, or a context.
func (r *report) unseen(w *waiter, say *job.Waiting) bool {
	return say.Others || r.p.gone.Visited(say.Context) || w.Bounded || r.bound > 0
}

// Bound says that a goroutine may go on without what this rank waits for, until the function is called.
func Bound(e *Engine) (end func()) {
	e.threads.lock()
	e.report.bound++
	e.threads.unlock()
	return func() {
		e.threads.lock()
		e.report.bound--
		e.threads.unlock()
	}
}

// sayAgain corrects what was said of a task, which may wait for other ranks now. What was
// said of those that had not begun stays, since it counts from when it was said.
func (r *report) sayAgain(w *waiter) {
	if !r.told(w) || !r.notice.Stale(r.p.completions) || w.About == nil || w.About.task == nil {
		return
	}
	say := r.describe(w)
	switch say.Collective.Need {
	case job.NeedPeers, job.NeedAny, job.NeedSome:
		r.notice.Say(say, r.unseen(w, &say), r.p.completions)
	}
}

// sayPlace answers a report: this rank says again what it waits for, and where the program's call is. To find the place
// allocates, so ranks do it only for a report. A report may come between two looks. To say it withdraws the answer
// to the last look, so answer comes after sayPlace.
func (r *report) sayPlace() {
	w := r.line.Reported()
	if !r.notice.PlaceDue() || !r.line.Lasting() || !r.told(w) {
		return
	}
	source := ""
	if r.line.Asleep(w) { // this is its goroutine; others' stacks are out of reach
		source = recorder.Caller()
	}
	r.notice.SetPlace(source)
	r.say(w)
}

// answer answers a look of the supervisor that was asked before ready was called, if this rank waits and no message is
// on its way.
//
// A message is on its way in three cases. Its receiver copies its bytes. Its sender is in the middle of sending it,
// which holds back the messages behind it. A further module has sent it and has no acknowledgement. A send that is
// offered, or has no room at its receiver, is not on its way: it waits until the receiver does something.
func (r *report) answer(look uint32) {
	w := r.line.Reported()
	if !r.line.Lasting() || !r.told(w) || r.p.receives.Len() > 0 || !r.p.routes.Settled() {
		return
	}
	if !r.notice.Answered(look) {
		r.say(w)
	}
	r.notice.Answer(look, r.p.completions+r.p.moves)
}

// describe says what a waiter waits for. The lock is held.
func (r *report) describe(w *waiter) job.Waiting {
	if w.Until != nil {
		return w.Until.Say()
	}
	if w.Any {
		return r.describeAny(w)
	}
	op, say := w.About, &r.saying
	*say = op.describe()
	if op.kind == tasking && op.state == moving {
		op.task.Describe(say)
	} else {
		r.notice.Complete(say)
	}
	if say.Op != job.OpCollective { // which has a name of its own
		say.Call = cmp.Or(say.Call, w.Call)
	}
	return *say
}

// describeAny says what a waiter for any of several operations waits for. If all are receives of named ranks on one
// communicator, it names these: only they can end the wait. The ranks of sends are not named, since one that is under
// way needs nobody.
func (r *report) describeAny(w *waiter) job.Waiting {
	say := job.Waiting{Op: job.OpWait, Peer: job.AnyPeer, Tag: AnyTag, Context: w.About.context}
	for _, op := range r.p.pool.all {
		switch {
		case op.waiter != w:
			continue
		case op.kind != receiving || op.state != posted || op.Peer < 0 || op.context != say.Context:
			say.Collective = job.Collective{}
			return say
		case !slices.Contains(say.Collective.Ranks(), int(op.Peer)):
			say.Collective.Miss(int(op.Peer))
		}
	}
	return say
}

// polls answers a report, if one is asked for: the rank polls for an operation, which is not complete, in a call.
func (r *report) polls(call string, op *operation) {
	if r.notice.PollsDue() {
		r.setPolls(call, op.asked(), op)
	}
}

// setPolls is polls for what is no operation; op is the operation, if there is one.
func (r *report) setPolls(call string, asked job.Operation, op *operation) {
	p := job.Polls{Operation: asked, Call: call, Source: recorder.Caller()}
	for _, o := range r.p.pool.all {
		if o != op && o.request != step && o.state != free && o.state != idle && o.state != complete {
			p.Add(o.asked())
		}
	}
	r.notice.SetPolls(p)
}

// publish makes the counters of the engine and its modules visible to the supervisor.
func (r *report) publish() {
	s := &r.p.stats
	s.Counters = r.p.routes.Counters()
	s.Parks, s.Nudges = r.line.Counts()
	r.row = s.Counters.Append(r.row[:0])
	r.job.PublishCounters(r.p.rank, 0, r.row...)
	r.row = append(r.row[:0],
		s.SelfMessages, s.SelfBytes, s.Queued, s.Unexpected, uint64(s.UnexpectedHigh), s.Parks, s.Nudges)
	r.job.PublishCounters(r.p.rank, firstSlot, r.row...)
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

// firstSlot is where the engine's counters begin among those that a rank publishes
// in the job's root block; those before are the modules'.
const firstSlot = 24

// Published returns the engine's part of the statistics that a rank has published:
// when it went to sleep, finalized, or asked for them.
func Published(root *job.Root, rank int) Stats {
	v := root.Counters(rank)
	c := v[firstSlot:]
	return Stats{
		SelfMessages: c[0], SelfBytes: c[1], Queued: c[2], Unexpected: c[3],
		UnexpectedHigh: int(c[4]), Parks: c[5], Nudges: c[6],
	}
}
