package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/trace"
)

// Reporter is a Task whose requests have a status. It is asked when the task is done.
type Reporter interface {
	Status() Status
}

// Patient is a Task that looks further when it has lasted for long. Lasts is called under the engine's lock before
// Progress, in each look of a sleep of the rank that has turned out to be a long one. Whatever the rank waits for then,
// another goroutine may wait for the task.
type Patient interface {
	Lasts()
}

// tellPatient calls Lasts of all tasks that have it.
func (e *Engine) tellPatient() {
	for op := range e.tasks.All() {
		if p, ok := op.task.(Patient); ok {
			p.Lasts()
		}
	}
}

// Do starts a task and waits until it is done. It takes the lock once.
func (e *Engine) Do(t Task, context uint32) error {
	if err := t.Start(); err != nil {
		return err
	}
	e.lock()
	defer e.unlock()
	if err := e.checkPeer(ProcNull); err != nil {
		return err
	}
	op := e.newOperation(tasking, context, ProcNull, AnyTag)
	op.task, op.state, op.request = t, moving, step
	e.tasks.Start(&op.flow, op.task)
	e.advanceTasks()
	_, err := e.finish(op, call{})
	return err
}

// Explain has a function complete what the hang report says of waits for messages in a
// context, which are a part of something else. It is called under the engine's lock, by
// the goroutine that waits, when the wait has turned out to be a long one. nil ends that.
func (e *Engine) Explain(context uint32, f func(*job.Waiting)) {
	e.lock()
	e.notice.Explain(context, f)
	e.unlock()
}

// NoteRefusal notes that a call was refused. The hang report says so at any later wait of this rank, until forget is
// called or a later refusal is noted.
func (e *Engine) NoteRefusal(text *string) (forget func()) { return e.notice.NoteRefusal(text) }

// Begin starts a task, of a communicator that the hang report names by the context.
func (e *Engine) Begin(t Task, context uint32) (Request, error) {
	r, err := e.Prepare(t, context)
	if err != nil {
		return r, err
	}
	r.op.persistent = false
	if err := e.launchTask(r.op); err != nil {
		e.lock()
		e.discard(r.op)
		e.unlock()
		return Request{}, err
	}
	return r, nil
}

// BeginBy begins a task that needs no Start. It takes the lock once, under which make returns
// the task.
func (e *Engine) BeginBy(context uint32, make func() Task) (Request, error) {
	start := e.CallBegins()
	e.lock()
	if err := e.checkPeer(ProcNull); err != nil {
		e.unlock()
		return Request{}, err
	}
	op := e.newOperation(tasking, context, ProcNull, AnyTag)
	op.task = make()
	e.follow(op, start)
	e.unlock()
	return Request{op: op, generation: op.generation}, nil
}

// Prepare makes a persistent request for a task, which every Start begins anew.
func (e *Engine) Prepare(t Task, context uint32) (Request, error) {
	e.lock()
	defer e.unlock()
	if err := e.checkPeer(ProcNull); err != nil {
		return Request{}, err
	}
	op := e.newOperation(tasking, context, ProcNull, AnyTag)
	op.task = t
	return persist(op), nil
}

// Leave has an operation go on that nobody will wait for. The request stands for nothing
// afterwards.
func (e *Engine) Leave(r *Request) {
	e.lock()
	e.Inside().Leave(r)
	e.unlock()
}

// launchTask starts an idle task and has it looked after.
func (e *Engine) launchTask(op *operation) error {
	op.status, op.err = noStatus, nil
	start := e.CallBegins()
	if err := op.task.Start(); err != nil {
		return err
	}
	e.lock()
	e.follow(op, start)
	e.catchUp()
	e.unlock()
	return nil
}

// follow begins to look after a task that was started. The call began at a time.
func (e *Engine) follow(op *operation, start uint64) {
	op.state = moving
	if e.trace != nil {
		op.request = e.trace.Request()
	}
	e.tasks.Start(&op.flow, op.task)
	e.advanceTasks()
	if e.trace != nil {
		e.endCall(call{kind: trace.Begin, start: start}, op, nil)
	}
}

// advanceTasks asks all tasks for progress, and again as long as that has completed
// an operation: an operation that one of them waits for may be complete only now, and no event
// will tell. An operator that a task runs may make calls which come here: they do nothing.
func (e *Engine) advanceTasks() {
	if e.advancing {
		return
	}
	e.advancing = true
	for before := e.completions - 1; before != e.completions; {
		before = e.completions
		e.tasks.Advance(e.on.may, e.on.ended)
	}
	e.advancing = false
}

// taskEnded completes a task that is done.
func (e *Engine) taskEnded(op *operation, err error) {
	if r, ok := op.task.(Reporter); ok {
		op.status = r.Status()
	}
	e.complete(op, err)
}

// Inside is the engine for code that is called under its lock: operations that a Task begins in
// Progress, and their state.
type Inside struct{ e *Engine }

// Inside returns e for the use of its tasks.
func (e *Engine) Inside() Inside { return Inside{e} }

// Isend is Engine.Isend of a message that carries a mark.
func (in Inside) Isend(context uint32, dst, tag int, m Mark, buf btl.Buffer) (Request, error) {
	in.e.beginning = step
	defer in.e.begun()
	return request(in.e.send(context, dst, tag, m, &buf, Standard, true))
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
	in.e.beginning = step
	defer in.e.begun()
	return request(in.e.receive(context, src, tag, &buf))
}

// Take is Engine.Take. The mark is that of the message that was received.
func (in Inside) Take(r *Request) (st Status, m Mark, done bool, err error) {
	op := r.active()
	switch {
	case op == nil:
		return noStatus, m, true, nil
	case op.state != complete:
		return noStatus, m, false, nil
	}
	m = op.mark
	if in.e.trace != nil {
		in.e.traceTaken(op)
	}
	st, err = in.e.collect(r)
	return st, m, true, err
}

// Completions counts the operations that have become complete: while it stays the same,
// Take has nothing new to tell.
func (in Inside) Completions() uint64 { return in.e.completions }

// Leave is Engine.Leave.
func (in Inside) Leave(r *Request) {
	switch op := r.active(); {
	case op == nil || op == sent:
	case op.state == complete:
		in.e.discard(op)
	default:
		op.left, op.handle = true, 0
	}
	*r = Request{}
}

// Drop withdraws a receive that is not to be waited for any more, if it has not
// found its message.
func (in Inside) Drop(r *Request) {
	if op := r.active(); op != nil && op.state == posted {
		in.e.match.In(op.context).Withdraw(&op.Receive)
		in.e.discard(op)
		*r = Request{}
	}
}

// Serve makes progress for all operations of the rank, and sleeps when there is none to
// be made, until the engine is closed. One goroutine at a time serves; a second one
// returns at once.
func (e *Engine) Serve() {
	e.lock()
	defer e.unlock()
	if e.closed {
		return
	}
	w := e.line.New(nil, "")
	if e.line.Serve(w) {
		e.waitFor(w)
	}
	e.line.Free(w)
}

// Attend has modules that watch a network advance tasks while the rank makes no call, by goroutines of their own. It is
// for ranks that begin a task which members on other nodes wait for. From then on they take the lock. No call is within
// the engine: a call that began without the lock would give back what it has not taken. So operators do not Attend.
func (e *Engine) Attend() {
	if e.routes.Watches() == nil || !e.attended.CompareAndSwap(false, true) {
		return
	}
	e.EndOneThread()
	for _, watch := range e.routes.Watches() { // by an atomic store: the first look comes after what is above
		watch(e.attend)
	}
}

// EndOneThread ends OneThread, in a call that has not begun yet: from then on other goroutines may call the engine.
func (e *Engine) EndOneThread() {
	if e.oneThread { // then no other goroutine reads it yet
		e.oneThread = false
		e.notAlone()
	}
}

// attend makes progress for a rank that may compute: of its messages, and of Lone tasks. Where a goroutine of the rank
// waits, that one does so. It does not wait for the lock, which a call holds while an operator runs: the caller has
// packets to answer.
func (e *Engine) attend() (waits bool) {
	for again := true; again; {
		if !e.mu.TryLock() {
			e.attendLater()
			return true // the call may be about to wait
		}
		again, waits = e.attendOnce()
		e.letGo()
	}
	return waits
}

// attendLater has attend called again when the lock is free. A goroutine waits for that, one at most. The next attend
// sees what has come before this one: the goroutine calls Wake after it has taken the lock.
func (e *Engine) attendLater() {
	if !e.later.CompareAndSwap(false, true) {
		return
	}
	go func() {
		e.contend()
		e.later.Store(false)
		if !e.closed {
			e.routes.First.Wake()
		}
		e.letGo()
	}()
}

// attendOnce is one look of attend. As in a sleep there may be more to do, of which nobody tells: again says so. Calls
// of the program may take the lock between two looks.
func (e *Engine) attendOnce() (again, waits bool) {
	if owned := e.line.HasOwner(); owned || e.closed || e.tasks.Empty() {
		return false, owned
	}
	e.attending = true
	e.progressAll()
	e.attending = false
	return e.more != nil && e.more(), false
}

// catchUp looks once at what came when there was no task, of which nobody tells again. What is left is for attend: a
// module that watches is notified, or looks when it begins to.
func (e *Engine) catchUp() {
	if !e.attended.Load() {
		return
	}
	e.progressAll()
	if e.more != nil && e.more() {
		e.routes.First.Wake()
	}
}

// Lone is a Task that another goroutine than those of the program may advance while the rank makes no call, if Lone
// says so. It is called like Progress.
type Lone interface {
	Lone() bool
}

// advances tells whether a task is advanced now.
func (e *Engine) advances(op *operation) bool {
	if !e.attending {
		return true
	}
	l, ok := op.task.(Lone)
	return ok && l.Lone()
}
