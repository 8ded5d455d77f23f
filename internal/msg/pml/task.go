package pml

import (
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/trace"
)

// Do starts a task and waits until it is done. It takes the lock once.
func (e *Engine) Do(t Task, context uint32) error {
	if err := t.Start(); err != nil {
		return err
	}
	e.threads.lock()
	defer e.threads.unlock()
	if err := e.p.checkPeer(ProcNull); err != nil {
		return err
	}
	op := e.p.newOperation(tasking, context, ProcNull, AnyTag)
	op.task, op.request = t, step
	e.tasks.start(op)
	_, err := e.finish(op, call{})
	return err
}

// Explain has a function complete what the hang report says of waits for messages in a
// context, which are a part of something else. It is called under the engine's lock, by
// the goroutine that waits, when the wait has turned out to be a long one. nil ends that.
func (e *Engine) Explain(context uint32, f func(*job.Waiting)) {
	e.threads.lock()
	e.report.notice.Explain(context, f)
	e.threads.unlock()
}

// NoteRefusal notes that a call was refused. The hang report says so at any later wait of this rank, until forget is
// called or a later refusal is noted.
func (e *Engine) NoteRefusal(text *string) (forget func()) { return e.report.notice.NoteRefusal(text) }

// Begin starts a task, of a communicator that the hang report names by the context.
func (e *Engine) Begin(t Task, context uint32) (Request, error) {
	r, err := e.Prepare(t, context)
	if err != nil {
		return r, err
	}
	r.op.persistent = false
	if err := e.launchTask(r.op); err != nil {
		e.threads.lock()
		e.p.discard(r.op)
		e.threads.unlock()
		return Request{}, err
	}
	return r, nil
}

// BeginBy begins a task that needs no Start. It takes the lock once, under which make returns
// the task.
func (e *Engine) BeginBy(context uint32, make func() Task) (Request, error) {
	start := e.Calls().Begin()
	e.threads.lock()
	if err := e.p.checkPeer(ProcNull); err != nil {
		e.threads.unlock()
		return Request{}, err
	}
	op := e.p.newOperation(tasking, context, ProcNull, AnyTag)
	op.task = make()
	e.follow(op, start)
	e.threads.unlock()
	return Request{op: op, generation: op.generation}, nil
}

// Prepare makes a persistent request for a task, which every Start begins anew.
func (e *Engine) Prepare(t Task, context uint32) (Request, error) {
	e.threads.lock()
	defer e.threads.unlock()
	if err := e.p.checkPeer(ProcNull); err != nil {
		return Request{}, err
	}
	op := e.p.newOperation(tasking, context, ProcNull, AnyTag)
	op.task = t
	return persist(op), nil
}

// launchTask starts an idle task and has it looked after.
func (e *Engine) launchTask(op *operation) error {
	op.status, op.err = noStatus, nil
	start := e.Calls().Begin()
	if err := op.task.Start(); err != nil {
		return err
	}
	e.threads.lock()
	e.follow(op, start)
	e.catchUp()
	e.threads.unlock()
	return nil
}

// follow begins to look after a task that was started. The call began at a time.
func (e *Engine) follow(op *operation, start uint64) {
	if e.p.trace.on() {
		op.request = e.p.trace.to.Request()
	}
	e.tasks.start(op)
	if e.p.trace.on() {
		e.p.trace.end(call{kind: trace.Begin, start: start}, op, nil)
	}
}

// Inside returns the engine for the use of its tasks.
func (e *Engine) Inside() Inside { return Inside{&e.p} }

// Within calls f under the lock of the engine.
func (e *Engine) Within(f func(Inside)) {
	e.threads.lock()
	defer e.threads.unlock()
	f(Inside{&e.p})
}

// Among limits what AnySource means in a context to the ranks of a circle.
// The end of a rank outside the circle fails nothing there. A nil circle takes the limit away. An empty one is for
// ranks that are not known yet: no end fails anything there. Any goroutine may call Among.
func (e *Engine) Among(context uint32, circle []int32) { e.p.gone.Among(context, circle) }

// Revocations has the engine call read, under its lock, when Events has grown and before it says that a rank has gone.
// read returns the contexts that were revoked since: what waits there ends with ErrRevoked. Call it before the engine
// is used.
func (e *Engine) Revocations(read func() (contexts []uint32)) { e.p.gone.Revocations(read) }

// Acknowledge has the failures of some ranks end no wait any more for receives from AnySource in a context. They begin
// with those that were acknowledged there before; if they are fewer nothing changes. It returns how many are
// acknowledged.
func (e *Engine) Acknowledge(context uint32, failed []int32) int {
	e.threads.lock()
	defer e.threads.unlock()
	return e.p.gone.Acknowledge(context, failed)
}

// Questions is described with AskTag. It needs no lock.
func (e *Engine) Questions() uint32 { return e.p.questions.came.Load() }
