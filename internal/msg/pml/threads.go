package pml

import (
	"sync"
	"sync/atomic"
)

// Threads says which threads call an engine, and has its lock.
//
// One mutex guards everything: matching, operations, and the message methods of
// the modules. It is held for the length of a call, except while the call sleeps.
// A finer lock would not pay: the module's message methods want one caller at a
// time anyhow, and the goroutines of one rank share one receive queue.
//
// A process may promise that it calls the engine from one thread (One): then nothing
// takes the mutex, whose two atomic instructions take a tenth of the time of a short message.
// All methods run on the goroutine of that thread, and so do the callbacks of the module and
// of tasks. The caller of One excludes two goroutines that enter an engine: the helper of graphs (Serve), and the
// end of a context (WaitContext). A third ends the promise before it enters: see Attend.
type Threads struct {
	mu         sync.Mutex
	contenders atomic.Int32 // goroutines that wait for mu
	one        bool         // nothing takes mu
	attended   atomic.Bool  // goroutines of modules take it: see Attend
	over       func()       // called when the promise ends
}

// One says that from now on one thread alone calls the engine: the calling one. No
// other goroutine is in the engine, and none will ever be: nobody has called Serve or waits
// with a context that can end. over is called by that thread, in a call, when Attend has ended this.
func (t *Threads) One(over func()) {
	if t.attended.Load() { // others read one
		over()
		return
	}
	t.one, t.over = true, over
}

// Many ends what One has said: all calls take the lock. None is underway that began without it.
func (t *Threads) Many() { t.one = false }

// EndOne is Many in a call that has not begun yet: from then on other goroutines may call the engine.
func (t *Threads) EndOne() {
	if t.one { // then no other goroutine reads it yet
		t.one = false
		t.over()
	}
}

// Alone tells whether One was called.
func (t *Threads) Alone() bool { return t.one }

// lock takes the mutex, unless one thread alone is here.
func (t *Threads) lock() {
	if !t.one {
		t.contend()
	}
}

// contend takes the mutex, and lets an owner that polls know that somebody wants it.
func (t *Threads) contend() {
	if t.mu.TryLock() {
		return
	}
	if err := MayWait(); err != nil {
		panic(err) // the caller of the operator catches it
	}
	t.contenders.Add(1)
	t.mu.Lock()
	t.contenders.Add(-1)
}

// wanted tells whether a goroutine waits for the lock.
func (t *Threads) wanted() bool { return t.contenders.Load() != 0 }

// unlock undoes lock.
func (t *Threads) unlock() {
	if !t.one {
		t.letGo()
	}
}

// letGo is apart from unlock so that unlock can be inlined.
//
//go:noinline
func (t *Threads) letGo() { t.mu.Unlock() }
