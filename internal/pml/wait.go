package pml

import (
	"slices"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/pml/flow"
	"github.com/gopvas/gopvas/internal/sys"
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
	w := e.newWaiter(op)
	w.call = call
	op.waiter = w
	e.waitFor(w)
	e.freeWaiter(w)
	return nil
}

// waitFor returns when w is signalled, making progress for the whole rank or parked
// while another goroutine does. A waiter for a condition has polled before. It polls here only if it was promoted,
// has helped, or has a crowd. By giving way, ranks that share a CPU take turns of microseconds: a barrier of 4 ranks
// on 2 CPUs takes 2.6 us so, and 8.8 with a sleep in each.
func (e *Engine) waitFor(w *waiter) {
	if e.owned && !e.park(w) {
		e.withdraw(w)
		return
	}
	e.owned = true
	helped := false
	for !w.done {
		expected := (w.until == nil || w.promoted || helped || e.crowd.Load() != nil) && e.poll(w)
		helped = !w.done && e.help()
		if !w.done && !helped && !e.keepVigil(w) {
			e.sleep(w)
			expected = true
		}
		if w.done && expected {
			e.help() // with what was left to a rank that waits
		}
	}
	e.withdraw(w)
	if next := e.parked.Head(); next != nil {
		next.Of.promoted = true
		e.unpark(next.Of)
	} else {
		e.owned = false
	}
}

// shortWait is how many looks most waits for short messages end within: a rank that has
// made as many tells others that it can help them.
const shortWait = 50

// conditionLooks bounds the looks of a rank with a crowd that waits for a condition. With several nodes that is most
// often what another rank of its node does, which may use the network for all: leave it the CPU.
const conditionLooks = 256

// poll makes progress until w is signalled, or the wait has lasted long enough that
// to sleep is cheaper, or there is work of others. It returns whether others have been
// told to expect help: what they have made ready in that time is for this rank.
func (e *Engine) poll(w *waiter) (expected bool) {
	e.poller, e.looks, e.expecting = w, 0, false
	looks, crowd := int(e.spin.Load()), e.crowd.Load()
	if w.until != nil && crowd != nil {
		looks = min(looks, conditionLooks)
	}
	shm.Look(crowd.Looks(looks), e.on.look)
	if e.expecting {
		e.helper.Polling(false)
	}
	return e.expecting
}

// KeepVigils has the rank look on before it sleeps, and find out whether others want its CPU: see shm.Vigil. It does
// not if ranks are more than CPUs, or are to sleep early. It is called by the thread that is going to wait, before
// anybody uses the engine.
func (e *Engine) KeepVigils() {
	if looks := int(e.spin.Load()); looks >= job.DefaultSpin && e.crowd.Load() == nil {
		e.vigil = shm.NewVigil()
		e.spin.Store(int32(e.vigil.Looks(looks)))
	}
}

// keepVigil looks on before a sleep. It returns true if w was signalled, or if there is work of others. In a
// rest all waits sleep at once, also those elsewhere.
func (e *Engine) keepVigil(w *waiter) (came bool) {
	if e.vigil == nil || e.crowd.Load() != nil {
		return false
	}
	e.poller, e.looks = w, shortWait+1
	came = e.vigil.Look(e.on.look)
	e.spin.Store(int32(e.vigil.Looks(e.job.Spin())))
	return came
}

// pollOnce is one look of the owner that polls.
func (e *Engine) pollOnce() (over bool) {
	w, before := e.poller, e.completions
	came := e.progress()
	if came > 0 || e.completions != before {
		e.vigil.Worked()
	}
	if !e.conditions.Empty() {
		e.askConditions()
	}
	if n := flow.Wider(e.looks); n > 0 {
		e.sends.Advance(n, e.on.moved)
	}
	if w.done || e.helper != nil && e.helper.Pending() {
		return true
	}
	if e.looks == shortWait && e.helper != nil {
		e.expecting = true
		e.helper.Polling(true)
	}
	e.looks++
	if e.yield || e.contenders.Load() != 0 {
		e.stepAside()
	}
	return w.done || e.crowd.Load() != nil && !e.goOn(came > 0 || e.completions != before)
}

// sleep sleeps until w is signalled, or there is cause to let others run.
func (e *Engine) sleep(w *waiter) {
	e.sleeper, e.lasting = w, false
	if e.trace != nil {
		e.trace.Publish()
	}
	// Who waits for a condition steps aside only where goroutines of the rank have waited at a
	// time before: for a rank with one, that is 5 % of a barrier with more ranks than CPUs.
	if e.yield || (w.until == nil || e.stats.Parks != 0) && !shm.Alone() {
		e.stepAside()
	}
	var err error
	if !w.done {
		e.unlock()
		err = e.routes.First.Sleep(e.on.ready, e.on.lasting)
		e.awake()
		e.lock()
	}
	e.moves++
	e.sleeper = nil
	e.askConditions()
	if err != nil {
		e.fail(err)
	}
}

// say writes what a waiter waits for. An answer is of the record before this one, so it is withdrawn first.
func (e *Engine) say(w *waiter, say job.Waiting) {
	if e.answered != 0 {
		e.answered = 0
		e.job.Answer(e.rank, job.Answer{})
	}
	w.said, say.Since, say.Seen = e.completions, w.since, sys.Monotonic()
	say.Source = w.source
	if text := e.refusals.why.Load(); text != nil {
		say.Refused = *text
	}
	// Ranks of other jobs may end the wait, and nobody here knows what these do.
	unseen := say.Others || e.gone.Visited(say.Context) || w.bounded
	say.Threads = !unseen && e.mayEnd()
	say.Others = unseen || say.Threads
	e.job.SetWaiting(e.rank, say)
}

// mayEnd tells whether another goroutine or thread of the program may end a wait.
func (e *Engine) mayEnd() bool {
	if e.others != nil {
		return e.others()
	}
	return shm.Others()
}

// sayAgain corrects what was said of a task, which may wait for other ranks now. What was
// said of those that had not begun stays, since it counts from when it was said.
func (e *Engine) sayAgain(w *waiter) {
	if w == nil || w != e.announced || w.done || w.said == e.completions || w.about == nil || w.about.task == nil {
		return
	}
	switch say := e.describe(w); say.Collective.Need {
	case job.NeedPeers, job.NeedAny, job.NeedSome:
		e.say(w, say)
	}
}

// describe says what a waiter waits for. The lock is held.
func (e *Engine) describe(w *waiter) job.Waiting {
	if w.until != nil {
		return w.until.say()
	}
	if w.any {
		return e.describeAny(w)
	}
	op, say := w.about, &e.saying
	*say = op.describe()
	if op.kind == tasking && op.state == moving {
		op.task.Describe(say)
	} else if explain := e.explain[op.context]; explain != nil {
		explain(say)
	}
	if say.Op != job.OpCollective { // which has a name of its own
		say.Call = w.call
	}
	return *say
}

// describeAny says what a waiter for any of several operations waits for. If all are receives of named ranks on one
// communicator, it names these: only they can end the wait. The ranks of sends are not named, since one that is under
// way needs nobody.
func (e *Engine) describeAny(w *waiter) job.Waiting {
	say := job.Waiting{Op: job.OpWait, Peer: job.AnyPeer, Tag: AnyTag, Context: w.about.context}
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

// announce says in the job's root block what this rank waits for.
// The owner of progress does so in its sleep, and only when that lasts.
func (e *Engine) announce() {
	e.lock()
	e.lasting = true
	if e.announceWaiter(e.speaker()) {
		e.publish()
	}
	e.unlock()
}

// announceWaiter says what a waiter waits for, if there is one and that is not said. It takes the place
// of one that was announced before and may be about to go on: see withdraw.
func (e *Engine) announceWaiter(w *waiter) (did bool) {
	if w == nil || w == e.announced || w.done {
		return false
	}
	e.moves++
	e.announced, w.since, w.source = w, sys.Monotonic(), ""
	e.say(w, e.describe(w))
	return true
}

// withdraw is called when a wait is over. The root block says no more that this rank waits for it.
func (e *Engine) withdraw(w *waiter) {
	if w == e.announced {
		e.moves++
		e.announced = nil
		e.job.ClearWaiting(e.rank)
		e.announceParked()
	}
}

// speaker returns the waiter whose wait the hang report has: the owner that sleeps, or for the
// goroutine in Serve, which waits for nothing, the one that is parked for the longest time.
func (e *Engine) speaker() *waiter {
	switch {
	case e.sleeper == nil || e.sleeper != e.server:
		return e.sleeper
	case !e.parked.Empty():
		return e.parked.Head().Of
	}
	return nil
}

// announceParked announces a goroutine that is parked behind Serve, if the sleep of Serve lasts.
func (e *Engine) announceParked() {
	if e.lasting && e.sleeper != nil && e.sleeper == e.server {
		e.announceWaiter(e.speaker())
	}
}
