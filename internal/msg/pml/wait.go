package pml

import (
	"errors"

	"github.com/gopvas/gopvas/internal/msg/pml/flow"
	"github.com/gopvas/gopvas/internal/msg/pml/wait"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
	"github.com/gopvas/gopvas/trace"
)

// finish waits for the operation of a call, takes its result, records the call and releases the operation.
func (e *Engine) finish(op *operation, c call) (Status, error) {
	if c.atOnce = op.state == complete; !c.atOnce {
		if c.kind != trace.None && c.start == 0 {
			c.start = e.p.trace.to.Begin()
		}
		if err := e.wait(op, ""); err != nil {
			e.p.giveUp(op)
			return noStatus, final(err)
		}
	}
	st, err := op.status, op.err
	e.p.trace.end(c, op, err)
	e.p.release(op)
	return st, err
}

// final is the error of a call that does not leave a request behind.
func final(err error) error {
	if pending, ok := errors.AsType[*fault.PendingError](err); ok {
		return &pending.Lost
	}
	return err
}

// waiting is what the hang report calls waits for operations that were begun before.
const waiting = "wait"

// wait returns when the operation is complete. The hang report names the call, or the
// operation if that is "". The only errors are ErrBusy, ErrOperator and a *PendingError.
func (e *Engine) wait(op *operation, call string) error {
	if op.state == complete {
		return nil
	}
	if op.waiter != nil {
		return ErrBusy
	}
	if err := MayWait(); err != nil {
		return e.waitRefused(op, err)
	}
	for {
		if err := e.p.pending(op); err != nil {
			return err
		}
		w := e.line.New(op, call)
		op.waiter = w
		e.waitFor(w)
		ended := !interrupted(op, w)
		e.line.Free(w)
		if ended {
			return nil
		}
	}
}

// interrupted tells whether a wait was ended before its operation. An operation that ends takes its waiter away, and
// may then be used again.
func interrupted(op *operation, w *waiter) bool {
	if op.waiter != w {
		return false
	}
	op.waiter = nil
	return true
}

// waitRefused is wait in an operator. The bytes of a message that has found its receive come by progress alone, and so
// does the end of a short send: only such operations are waited for.
func (e *Engine) waitRefused(op *operation, err error) error {
	if op.state != moving || op.kind > receiving || op.kind == sending && op.offered {
		return err
	}
	for op.state != complete {
		e.progress()
		e.stepAside()
	}
	return nil
}

// waitFor returns when w is signalled, making progress for the whole rank or parked
// while another goroutine does. A waiter for a condition has polled before. It polls here only if it was promoted,
// has helped, or yields.
func (e *Engine) waitFor(w *waiter) {
	if !e.line.BecomeOwner(w) {
		e.report.withdraw(w)
		return
	}
	helped := false
	for !w.Done() {
		expected := (w.Until == nil || w.Promoted() || helped || e.waits.Watching()) && e.poll(w)
		helped = !w.Done() && e.helper.help(&e.threads)
		if !w.Done() && !helped && !e.busyPoll(w) {
			e.sleep(w)
			expected = true
		}
		if w.Done() && expected {
			e.helper.help(&e.threads) // with what was left to a rank that waits
		}
	}
	e.report.withdraw(w)
	e.line.PassOwnership()
}

// shortWait is how many looks most waits for short messages end within: a rank that has
// made as many tells others that it can help them.
const shortWait = 50

// polling is a wait of the owner of progress that polls, or did last.
type polling struct {
	waiter    *waiter
	looks     int  // that it has made
	expecting bool // it has told others that it will help them
}

// poll makes progress until w is signalled, or the wait has lasted long enough that
// to sleep is cheaper, or there is work of others. It returns whether others have been
// told to expect help: what they have made ready in that time is for this rank.
func (e *Engine) poll(w *waiter) (expected bool) {
	e.polling = polling{waiter: w}
	for range e.waits.Begin(w.Until != nil) + 1 {
		if e.pollOnce() {
			break
		}
	}
	if e.polling.expecting {
		e.helper.by.Polling(false)
	}
	return e.polling.expecting
}

// busyPoll polls on before a sleep. It returns true if it has looked, and w was signalled or there is work of others.
func (e *Engine) busyPoll(w *waiter) (came bool) {
	e.polling = polling{waiter: w, looks: shortWait + 1}
	return e.waits.BusyPoll(e.looks.once) && (w.Done() || e.helper.pending())
}

// pollOnce is one look of the owner that polls.
func (e *Engine) pollOnce() (over bool) {
	w, before := e.polling.waiter, e.p.completions
	came := e.progress()
	if e.line.HasConditions() {
		e.line.CheckConditions()
	}
	if n := flow.Wider(e.polling.looks); n > 0 {
		e.p.sends.Advance(n, e.p.on.moved)
	}
	if w.Done() || e.helper.pending() {
		return true
	}
	if e.polling.looks == shortWait && e.helper.by != nil {
		e.polling.expecting = true
		e.helper.by.Polling(true)
	}
	e.polling.looks++
	if e.line.Yield || e.threads.wanted() {
		e.stepAside()
	}
	return w.Done() || e.waits.Watching() && !e.waits.GoOn(came > 0 || e.p.completions != before)
}

// sleep sleeps until w is signalled, or there is cause to let others run.
func (e *Engine) sleep(w *waiter) {
	if e.p.trace.on() {
		e.p.trace.to.Publish()
	}
	if e.line.BeginSleep(w) {
		e.stepAside()
	}
	var err error
	if !w.Done() {
		e.threads.unlock()
		err = e.p.routes.First.Sleep(e.looks.ready, e.looks.lasting)
		e.helper.awake()
		e.threads.lock()
	}
	e.report.notice.Moved(1)
	e.line.EndSleep()
	e.line.CheckConditions()
	if err != nil {
		e.fail(err)
	}
}

// lasts is called when the sleep of the owner of progress lasts: only then others are told of its wait.
func (e *Engine) lasts() {
	e.threads.lock()
	e.line.SetLasting()
	if e.report.announce(e.line.Reported()) {
		e.report.publish()
	}
	e.threads.unlock()
}

// Condition is something in shared memory that a goroutine waits for, beside the operations of
// the engine. The rank that makes it true notifies the inbox of this one. One goroutine at a
// time waits for a condition. Several conditions, and operations, may be waited for at a time.
// It is waited for as an operation is: one goroutine of the rank sleeps for all (see Engine).
type Condition struct {
	engine *Engine
	of     wait.Condition[operation]
}

// NewCondition returns a condition that is true when over says so. over reads by atomic
// operations what other ranks write, and what the goroutine in Wait has written before. It does
// not block, and calls nothing of the engine that takes the lock. The same holds for say, which
// tells the hang report what this rank waits for; it is asked when a wait has turned out to be a
// long one.
func (e *Engine) NewCondition(over func() bool, say func() job.Waiting) *Condition {
	c := &Condition{engine: e, of: wait.Condition[operation]{Over: over, Say: say}}
	c.of.Init()
	return c
}

// Wait returns nil when the condition is true. Meanwhile it sees to the messages of
// this rank, since a peer may need them before it can do its part, and to work of others.
// The error is of the module. The caller has looked long enough for the condition: Wait sleeps
// at once, or after some looks if the rank yields.
func (c *Condition) Wait() error {
	e := c.engine
	e.threads.lock()
	if w := e.line.AddCondition(&c.of); w != nil {
		e.waitFor(w)
	}
	err := c.of.Err()
	e.threads.unlock()
	return err
}
