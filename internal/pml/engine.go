package pml

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/pml/flow"
	"github.com/gopvas/gopvas/internal/pml/gone"
	"github.com/gopvas/gopvas/internal/pml/match"
	"github.com/gopvas/gopvas/internal/pml/route"
	"github.com/gopvas/gopvas/internal/pml/wait"
	"github.com/gopvas/gopvas/internal/trace/recorder"
	"github.com/gopvas/gopvas/mpi/fault"
	"github.com/gopvas/gopvas/shm"
)

// Engine moves the messages of one rank. Any goroutine may call any method.
//
// # Locking
//
// One mutex guards everything: matching, operations, and the message methods of
// the modules. It is held for the length of a call, except while the call sleeps.
// A finer lock would not pay: the module's message methods want one caller at a
// time anyhow, and the goroutines of one rank share one receive queue.
//
// A process may promise that it calls the engine from one thread (OneThread): then nothing
// takes the mutex, whose two atomic instructions take a tenth of the time of a short message.
// All methods run on the goroutine of that thread, and so do the callbacks of the module and
// of tasks. The caller of OneThread excludes two goroutines that enter an engine: the helper of graphs (Serve), and the
// end of a context (WaitContext). A third ends the promise before it enters: see Attend.
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
	job        Job
	routes     route.Table
	trace      *recorder.Recorder // nil: nothing is recorded; see trace.go
	setBed     func(shm.Bed)      // SleepIn of the module; nil: it has none
	rank, size int                // size: how many ranks there may be
	ranks      int                // that there were at first
	on         callbacks
	contenders atomic.Int32 // goroutines that wait for mu
	oneThread  bool         // nothing takes mu; see OneThread
	notAlone   func()       // called when that ends
	attended   atomic.Bool  // see Attend
	later      atomic.Bool  // a goroutine of attendLater runs
	more       func() bool  // of module; nil: it has none
	refusals   refusals
	pace       wait.Pace // read without the lock, too

	mu sync.Mutex // guards all below

	// slowPath is false if a short standard send to another rank may go straight to
	// the module: no send is queued or ahead, no rank has gone, and the engine is open. See passes.
	slowPath bool
	held     bool // the same, but ranks may have gone
	closed   bool
	broken   error     // why the module cannot go on; nil: it can
	short    btl.Short // of the module; nil: it has none, there are further ones, or calls are recorded

	match  match.Machine[operation, message]
	saying job.Waiting // while it is put together: here, since that allocates nothing

	fast     operation  // of the short way to receive; see receiveFast
	awaited  *operation // it, while its message is looked for
	header   btl.Header // of the message that is being sent: here, since that allocates nothing
	pool     pool
	messages messages

	receives    flow.Receives[operation] // underway
	sends       flow.Sends[operation]
	tasks       flow.Tasks[operation]
	ahead       flow.Budget // of sends that are ahead; see ahead.go
	toItself    flow.Budget // of messages from this rank to itself
	spares      flow.Spares
	advancing   bool   // advanceTasks is at work
	attending   bool   // attend is: the program makes no call
	completions uint64 // operations that have become complete
	helper      Helper // nil: none; see SetHelper

	beginning uint32 // request in the trace of the operation that is begun; see trace.go
	arriving  uint32 // number in the trace of the message that is delivered

	line    wait.Line[operation]
	notice  wait.Notice
	polling polling
	gone    gone.Ranks

	stats Stats
	row   []uint64 // of publish
}

// New returns the engine of a rank of the job, which has the module to itself: from
// now on nobody else calls the module's message methods. The module reaches all peers,
// but those of AddPeers. If it has Memory (btl.Capabilities), it shares that with all peers that
// it reaches.
func New(j Job, rank int, m btl.Messages) *Engine {
	c := m.Capabilities()
	e := &Engine{
		job: j, setBed: c.SleepIn, short: c.Short, more: c.More, rank: rank, size: j.Places(), ranks: j.Ranks(),
		match:    match.New[operation, message](j.Places()),
		ahead:    flow.Budget{Limit: job.AheadLimit, Cost: job.AheadCost},
		toItself: flow.Budget{Limit: job.AheadLimit, Cost: job.AheadCost},
	}
	e.routes.Init(m, &c, j.Ranks(), j.Places())
	e.pool.init(e)
	e.gone.Init(j, rank, j.Places())
	e.pace.Set(j.Spin(), nil)
	e.line.Init(e.unlock, e.lock, e.routes.First.Wake)
	e.notice.Init(j, rank)
	if j.Spin() == 0 && j.Looks() > 0 && j.Few() {
		e.sleepIn(shm.NewBed(shm.NewCrowd(true), 0), fewLooks)
	}
	e.on = e.callbacks()
	e.fast = operation{engine: e, kind: receiving, state: idle, persistent: true}
	e.fast.tie()
	return e
}

// fewLooks bounds the looks of a rank that yields after each. A yield lets other ranks run, but no other
// goroutine of this one. To be woken by a rank of the node costs little.
const fewLooks = 64

// OneThread says that from now on one thread alone calls the engine: the calling one. No
// other goroutine is in the engine, and none will ever be: nobody has called Serve or waits
// with a context that can end. over is called by that thread, in a call, when Attend has ended this.
func (e *Engine) OneThread(over func()) {
	if e.attended.Load() { // others read oneThread
		over()
		return
	}
	e.oneThread, e.notAlone = true, over
}

// ManyThreads ends what OneThread has said: all calls take the lock. None is underway that began without it.
func (e *Engine) ManyThreads() { e.oneThread = false }

// OtherThreads gives the engine what tells, while a thread waits, whether another one of the program may end the wait:
// if not, a deadlock can be proved. Without it any goroutine may, and any thread of a program with cgo.
func (e *Engine) OtherThreads(may func() bool) {
	e.lock()
	e.notice.OtherThreads(may)
	e.unlock()
}

// Alone tells whether OneThread was called.
func (e *Engine) Alone() bool { return e.oneThread }

// lock takes the mutex, unless one thread alone is here.
func (e *Engine) lock() {
	if !e.oneThread {
		e.contend()
	}
}

// contend takes the mutex, and lets an owner that polls know that somebody wants it.
func (e *Engine) contend() {
	if e.mu.TryLock() {
		return
	}
	if err := MayWait(); err != nil {
		panic(err) // the caller of the operator catches it
	}
	e.contenders.Add(1)
	e.mu.Lock()
	e.contenders.Add(-1)
}

// unlock undoes lock.
func (e *Engine) unlock() {
	if !e.oneThread {
		e.letGo()
	}
}

// letGo is apart from unlock so that unlock can be inlined.
//
//go:noinline
func (e *Engine) letGo() { e.mu.Unlock() }

// stepAside lets other goroutines of this rank have the lock, and the thread.
func (e *Engine) stepAside() {
	e.line.Yield = false
	e.unlock()
	runtime.Gosched()
	e.lock()
}

// updateFastPath decides whether the next short send may take the short way.
func (e *Engine) updateFastPath() {
	e.held = e.closed || e.broken != nil || e.sends.Waiting() || e.ahead.Used()
	e.slowPath = e.held || e.gone.Any()
}

// passes tells whether a message to or from a rank may take the short way: those that have gone are in the way of none
// but their own.
func (e *Engine) passes(rank int) bool { return !e.slowPath || !e.held && !e.gone.Dead(rank) }

// checkPeer returns an error unless the peer is a rank, or ProcNull.
func (e *Engine) checkPeer(peer int) error {
	switch {
	case e.closed:
		return ErrFinalized
	case e.broken != nil:
		return e.broken
	case peer != ProcNull && (peer < 0 || peer >= e.size):
		return &fault.RankError{Rank: peer, Size: e.ranks}
	}
	return nil
}
