package pml

// progress advances the operations, without blocking. It returns how many messages have come by the module.
func (e *Engine) progress() (came int) {
	came = e.p.look()
	if !e.tasks.none() {
		e.tasks.advance()
	}
	return came
}

// Progress makes progress for all operations of the rank. It does
// not block.
func (e *Engine) Progress() {
	e.threads.lock()
	e.progressAll()
	e.threads.unlock()
}

// progressAll looks at everything. A sleeper uses it: an operation that it
// passed over would wait for the whole sleep.
func (e *Engine) progressAll() {
	e.p.lookAtAll()
	if !e.tasks.none() {
		e.tasks.advance()
	}
}

// ready is the condition of an owner of progress that sleeps. Where its own Condition is true, and
// needs no lock, it takes none: the owner looks at the others when it is awake.
func (e *Engine) ready() bool {
	if e.line.OwnConditionTrue() {
		return true
	}
	look := e.job.Asked()
	e.threads.lock()
	e.line.BeginLook()
	if e.line.Lasting() {
		e.tasks.tellPatient()
	}
	e.progressAll()
	e.line.CheckConditions()
	e.report.announce(e.line.ReportedBehindServer())
	e.report.sayAgain(e.line.Reported())
	stop := e.line.EndLook() || e.helper.wanted()
	if !stop {
		e.report.sayPlace()
		if look != 0 {
			e.report.answer(look)
		}
	}
	e.threads.unlock()
	return stop
}

// Attend has modules that watch a network advance tasks while the rank makes no call, by goroutines of their own. It is
// for ranks that begin a task which members on other nodes wait for. From then on they take the lock. No call is within
// the engine: a call that began without the lock would give back what it has not taken. So operators do not Attend.
func (e *Engine) Attend() {
	if e.p.routes.Watches() == nil || !e.threads.attended.CompareAndSwap(false, true) {
		return
	}
	e.threads.EndOne()
	for _, watch := range e.p.routes.Watches() { // by an atomic store: the first look comes after what is above
		watch(e.attend)
	}
}

// attend makes progress for a rank that may compute: of its messages, and of Lone tasks. Where a goroutine of the rank
// waits, that one does so. It does not wait for the lock, which a call holds while an operator runs: the caller has
// packets to answer.
func (e *Engine) attend() (waits bool) {
	for again := true; again; {
		if !e.threads.mu.TryLock() {
			e.attendLater()
			return true // the call may be about to wait
		}
		again, waits = e.attendOnce()
		e.threads.letGo()
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
		e.threads.contend()
		e.later.Store(false)
		if !e.p.closed {
			e.p.routes.First.Wake()
		}
		e.threads.letGo()
	}()
}

// attendOnce is one look of attend. As in a sleep there may be more to do, of which nobody tells: again says so. Calls
// of the program may take the lock between two looks.
func (e *Engine) attendOnce() (again, waits bool) {
	if owned := e.line.HasOwner(); owned || e.p.closed || e.tasks.none() {
		return false, owned
	}
	e.tasks.attending = true
	e.progressAll()
	e.tasks.attending = false
	return e.more != nil && e.more(), false
}

// catchUp looks once at what came when there was no task, of which nobody tells again. What is left is for attend: a
// module that watches is notified, or looks when it begins to.
func (e *Engine) catchUp() {
	if !e.threads.attended.Load() {
		return
	}
	e.progressAll()
	if e.more != nil && e.more() {
		e.p.routes.First.Wake()
	}
}
