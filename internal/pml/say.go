package pml

import (
	"slices"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/trace/recorder"
)

// lasts is called when the sleep of the owner of progress lasts: only then others are told of its wait.
func (e *Engine) lasts() {
	e.lock()
	e.line.SetLasting()
	if e.announce(e.line.Reported()) {
		e.publish()
	}
	e.unlock()
}

// announce says what a waiter waits for, unless there is none or that was said.
func (e *Engine) announce(w *waiter) (did bool) {
	if w == nil || e.notice.Announced(&w.Said) || w.Done() {
		return false
	}
	say := e.describe(w)
	e.notice.Announce(&w.Said, say, e.unseen(w, &say), e.completions)
	return true
}

// withdraw is called when a wait is over. The root block says no more that this rank waits for it.
func (e *Engine) withdraw(w *waiter) {
	if e.notice.Announced(&w.Said) {
		e.notice.Withdraw()
		e.announce(e.line.ReportedBehindServer())
	}
}

// told tells whether the wait is the one that others are told of, and lasts.
func (e *Engine) told(w *waiter) bool { return w != nil && e.notice.Announced(&w.Said) && !w.Done() }

// say describes the wait that was announced again.
func (e *Engine) say(w *waiter) {
	say := e.describe(w)
	e.notice.Say(say, e.unseen(w, &say), e.completions)
}

// unseen tells whether something that this rank knows nothing of may end a wait: a rank of another job, or a context.
func (e *Engine) unseen(w *waiter, say *job.Waiting) bool {
	return say.Others || e.gone.Visited(say.Context) || w.Bounded
}

// sayAgain corrects what was said of a task, which may wait for other ranks now. What was
// said of those that had not begun stays, since it counts from when it was said.
func (e *Engine) sayAgain(w *waiter) {
	if !e.told(w) || !e.notice.Stale(e.completions) || w.About == nil || w.About.task == nil {
		return
	}
	say := e.describe(w)
	switch say.Collective.Need {
	case job.NeedPeers, job.NeedAny, job.NeedSome:
		e.notice.Say(say, e.unseen(w, &say), e.completions)
	}
}

// sayPlace answers a report: this rank says again what it waits for, and where the program's call is. To find the place
// allocates, so ranks do it only for a report. A report may come between two looks. To say it withdraws the answer
// to the last look, so answer comes after sayPlace.
func (e *Engine) sayPlace() {
	w := e.line.Reported()
	if !e.notice.PlaceDue() || !e.line.Lasting() || !e.told(w) {
		return
	}
	source := ""
	if e.line.Asleep(w) { // this is its goroutine; others' stacks are out of reach
		source = recorder.Caller()
	}
	e.notice.SetPlace(source)
	e.say(w)
}

// answer answers a look of the supervisor that was asked before ready was called, if this rank waits and no message is
// on its way.
//
// A message is on its way in three cases. Its receiver copies its bytes. Its sender is in the middle of sending it,
// which holds back the messages behind it. A further module has sent it and has no acknowledgement. A send that is
// offered, or has no room at its receiver, is not on its way: it waits until the receiver does something.
func (e *Engine) answer(look uint32) {
	w := e.line.Reported()
	if !e.line.Lasting() || !e.told(w) || e.receives.Len() > 0 || !e.routes.Settled() {
		return
	}
	if !e.notice.Answered(look) {
		e.say(w)
	}
	e.notice.Answer(look, e.completions)
}

// describe says what a waiter waits for. The lock is held.
func (e *Engine) describe(w *waiter) job.Waiting {
	if w.Until != nil {
		return w.Until.Say()
	}
	if w.Any {
		return e.describeAny(w)
	}
	op, say := w.About, &e.saying
	*say = op.describe()
	if op.kind == tasking && op.state == moving {
		op.task.Describe(say)
	} else {
		e.notice.Complete(say)
	}
	if say.Op != job.OpCollective { // which has a name of its own
		say.Call = w.Call
	}
	return *say
}

// describeAny says what a waiter for any of several operations waits for. If all are receives of named ranks on one
// communicator, it names these: only they can end the wait. The ranks of sends are not named, since one that is under
// way needs nobody.
func (e *Engine) describeAny(w *waiter) job.Waiting {
	say := job.Waiting{Op: job.OpWait, Peer: job.AnyPeer, Tag: AnyTag, Context: w.About.context}
	for _, op := range e.pool.all {
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
