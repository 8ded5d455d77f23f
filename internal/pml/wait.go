package pml

import (
	"github.com/gopvas/gopvas/internal/pml/flow"
	"github.com/gopvas/gopvas/internal/pml/wait"
	"github.com/gopvas/gopvas/shm"
	"github.com/gopvas/gopvas/trace"
)

// finish waits for the operation of a call, takes its result, records the call and releases the operation.
func (e *Engine) finish(op *operation, c call) (Status, error) {
	if c.atOnce = op.state == complete; !c.atOnce {
		if c.kind != trace.None && c.start == 0 {
			c.start = e.trace.Begin()
		}
		if err := e.wait(op, ""); err != nil {
			e.giveUp(op)
			return noStatus, err
		}
	}
	st, err := op.status, op.err
	e.endCall(c, op, err)
	e.release(op)
	return st, err
}

// waiting is what the hang report calls waits for operations that were begun before.
const waiting = "wait"

// wait returns when the operation is complete. The hang report names the call, or the
// operation if that is "". The only errors are ErrBusy and ErrOperator.
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
	w := e.line.New(op, call)
	op.waiter = w
	e.waitFor(w)
	e.line.Free(w)
	return nil
}

// waitFor returns when w is signalled, making progress for the whole rank or parked
// while another goroutine does. A waiter for a condition has polled before. It polls here only if it was promoted,
// has helped, or has a crowd. By giving way, ranks that share a CPU take turns of microseconds: a barrier of 4 ranks
// on 2 CPUs takes 2.6 us so, and 8.8 with a sleep in each.
func (e *Engine) waitFor(w *waiter) {
	if !e.line.BecomeOwner(w) {
		e.withdraw(w)
		return
	}
	helped := false
	for !w.Done() {
		expected := (w.Until == nil || w.Promoted() || helped || e.pace.Crowded()) && e.poll(w)
		helped = !w.Done() && e.help()
		if !w.Done() && !helped && !e.keepVigil(w) {
			e.sleep(w)
			expected = true
		}
		if w.Done() && expected {
			e.help() // with what was left to a rank that waits
		}
	}
	e.withdraw(w)
	e.line.PassOwnership()
}

// waiter is one goroutine that waits for operations, or for a condition.
type waiter = wait.Waiter[operation]

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
	shm.Look(e.pace.Looks(w.Until != nil), e.on.look)
	if e.polling.expecting {
		e.helper.Polling(false)
	}
	return e.polling.expecting
}

// KeepVigils has the rank look on before it sleeps: see wait.Pace. It is called by the thread that is going to wait,
// before anybody uses the engine.
func (e *Engine) KeepVigils() { e.pace.KeepVigil() }

// keepVigil looks on before a sleep. It returns true if w was signalled, or if there is work of others.
func (e *Engine) keepVigil(w *waiter) (came bool) {
	if !e.pace.KeepsVigil() {
		return false
	}
	e.polling.waiter, e.polling.looks = w, shortWait+1
	return e.pace.Vigil(e.job.Spin(), e.on.look)
}

// pollOnce is one look of the owner that polls.
func (e *Engine) pollOnce() (over bool) {
	w, before := e.polling.waiter, e.completions
	came := e.progress()
	if came > 0 || e.completions != before {
		e.pace.Worked()
	}
	if e.line.HasConditions() {
		e.line.CheckConditions()
	}
	if n := flow.Wider(e.polling.looks); n > 0 {
		e.sends.Advance(n, e.on.moved)
	}
	if w.Done() || e.helper != nil && e.helper.Pending() {
		return true
	}
	if e.polling.looks == shortWait && e.helper != nil {
		e.polling.expecting = true
		e.helper.Polling(true)
	}
	e.polling.looks++
	if e.line.Yield || e.contenders.Load() != 0 {
		e.stepAside()
	}
	return w.Done() || e.pace.Crowded() && !e.pace.GoOn(came > 0 || e.completions != before)
}

// sleep sleeps until w is signalled, or there is cause to let others run.
func (e *Engine) sleep(w *waiter) {
	if e.trace != nil {
		e.trace.Publish()
	}
	if e.line.BeginSleep(w) {
		e.stepAside()
	}
	var err error
	if !w.Done() {
		e.unlock()
		err = e.routes.First.Sleep(e.on.ready, e.on.lasting)
		e.awake()
		e.lock()
	}
	e.notice.Moved(1)
	e.line.EndSleep()
	e.line.CheckConditions()
	if err != nil {
		e.fail(err)
	}
}
