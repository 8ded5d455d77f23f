package pml

import (
	"runtime"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml/wait"
	"github.com/gopvas/gopvas/internal/msg/recorder"
	"github.com/gopvas/gopvas/shm"
)

// Engine moves the messages of one rank. Any goroutine may call any method.
//
// It has the lock, and drives the protocol: it makes progress, and waits. See Threads for the lock.
//
// # Progress
//
// The BTL moves bytes only when it is asked to: by every call that may wait, for
// all operations of the rank and not only the caller's own, and by those that test
// or start something. When several goroutines wait, one of them is the owner of
// progress: it polls, and sleeps in the module's Sleep when it has polled for
// nothing long enough. The others are parked: each sleeps on a channel of its own,
// at no cost, until it is signalled.
//
//   - The goroutine that completes an operation signals its waiter:
//     a parked one through its channel, the sleeping owner by the module's Wake. An
//     owner that polls needs no signal, it holds the lock and looks by itself.
//   - An owner whose own wait is over makes a parked waiter the owner before it lets go of the lock: see wait.Line.
//   - No event is lost between the owner's last look and its sleep. For events from
//     outside Sleep promises it: Sleep asks ready, which makes progress for all
//     operations under the lock, after it has declared itself asleep, and again on
//     every later event. What another goroutine of this rank does under the lock
//     comes either before that question, which then sees it, or after, and then the
//     goroutine finds the owner asleep and calls Wake if it has completed the owner's
//     operation or leaves something behind for the owner to do (it parks).
//   - Every wait ends: a rank that goes is an event for Sleep, and then noteGone
//     fails the operations that depend on it. Conditions look for themselves.
//
// Conditions are waited for in the same way: see Condition.
//
// A goroutine that finds the lock taken says so in contenders, and an owner that
// polls steps aside for it. The owner also steps aside after it has woken a parked goroutine
// and, if the process has other goroutines, before it sleeps. With GOMAXPROCS=1 those could
// not run otherwise, as the scheduler does not learn at once that a thread sleeps in the
// kernel.
type Engine struct {
	threads Threads
	job     Job
	more    func() bool // of module; nil: it has none
	later   atomic.Bool // a goroutine of attendLater runs
	waits   *shm.Waiter

	Before func() // what calls on requests do before they begin; nil: nothing. It is set before the first one

	// The lock guards all below.

	short  btl.Short // of the module; nil: it has none, there are further ones, or calls are recorded
	p      protocol
	tasks  tasks
	helper helping
	line   wait.Line[operation]
	report report

	polling polling
	looks   struct { // methods as values, which are made once: to make one allocates
		once    func() bool // pollOnce
		ready   func() bool // ready
		lasting func()      // lasts
	}
}

// New returns the engine of a rank of the job, which has the module to itself: from
// now on nobody else calls the module's message methods. The module reaches all peers,
// but those of AddPeers. If it has Memory (btl.Capabilities), it shares that with all peers that
// it reaches.
func New(j Job, rank int, m btl.Messages) *Engine {
	c := m.Capabilities()
	e := &Engine{job: j, waits: shm.NewWaiter(j.WaitPolicy()), short: c.Short, more: c.More}
	if c.SetWaiter != nil {
		c.SetWaiter(e.waits)
	}
	e.p.init(e, m, &c, rank)
	e.tasks.init(&e.p)
	e.report.init(j, &e.p, &e.line)
	e.line.Init(e.threads.unlock, e.threads.lock, e.p.routes.First.Wake)
	e.looks.once, e.looks.ready, e.looks.lasting = e.pollOnce, e.ready, e.lasts
	return e
}

// Threads says which threads call the engine.
func (e *Engine) Threads() *Threads { return &e.threads }

// Calls are the calls above the engine that are recorded.
func (e *Engine) Calls() Calls { return Calls{&e.threads, &e.p.trace} }

// SetHelper is called before the engine is used.
func (e *Engine) SetHelper(h Helper) { e.helper.by = h }

// Trace makes the engine record its calls and messages. It is called before the engine is used.
func (e *Engine) Trace(r *recorder.Recorder) {
	e.p.trace.to, e.short = r, nil
	e.p.on.frame = func(f *btl.Frame) {
		e.p.trace.arriving = r.Received(int(f.Source))
		e.p.deliver(f)
	}
}

// stepAside lets other goroutines of this rank have the lock, and the thread.
func (e *Engine) stepAside() {
	e.line.Yield = false
	e.threads.unlock()
	runtime.Gosched()
	e.threads.lock()
}

// Stats returns the statistics of this rank so far, and publishes them.
func (e *Engine) Stats() Stats {
	e.threads.lock()
	defer e.threads.unlock()
	e.report.publish()
	return e.p.stats
}
