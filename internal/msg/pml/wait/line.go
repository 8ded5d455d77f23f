package wait

import (
	"github.com/gopvas/gopvas/internal/msg/pml/list"
	"github.com/gopvas/gopvas/shm"
)

// Line is the waiters of a rank. One of them is the owner of progress: it polls, and sleeps until something comes. The
// others are parked: each sleeps on a channel of its own.
//
// Invariant: whenever the lock is free and a waiter is parked, there is an owner that polls, sleeps, or is about to
// run. For a waiter parks only behind an owner (BecomeOwner), and an owner that leaves makes a parked one the owner
// (PassOwnership).
//
// A signal for the owner in its sleep wakes it, unless the owner itself looks at that time (Looking): then it asks
// whether it was signalled before it sleeps on. So does a waiter that parks: it may leave something behind that the
// owner has not seen.
type Line[O any] struct {
	// Yield says that a parked goroutine was woken: the owner lets it run, and clears this.
	Yield bool

	unlock, lock func()
	wake         func() // ends the owner's sleep

	owned      bool                    // there is an owner of progress
	looking    bool                    // the owner looks in its sleep
	lasting    bool                    // its sleep lasts
	sleeper    *Waiter[O]              // the owner, while it sleeps; the owner alone writes it
	server     *Waiter[O]              // the goroutine that waits for nothing but the end; nil: there is none
	parked     list.List[Waiter[O]]    // waiters that are not the owner
	conditions list.List[Condition[O]] // that are waited for, and not known to be true
	idle       list.List[Waiter[O]]    // pool

	parks  uint64 // waits that left progress to another goroutine
	nudges uint64 // times the owner was woken by another goroutine of the rank
}

// Init prepares a line. The functions let go of the lock, take it, and end the sleep of the owner.
func (l *Line[O]) Init(unlock, lock, wake func()) { l.unlock, l.lock, l.wake = unlock, lock, wake }

// New returns a waiter of the pool.
func (l *Line[O]) New(about *O, call string) *Waiter[O] {
	w := l.idle.Pop()
	if w == nil {
		return NewWaiter(about, call)
	}
	w.reset()
	w.About, w.Call = about, call
	return w
}

// Free gives a waiter to the pool.
func (l *Line[O]) Free(w *Waiter[O]) {
	w.About = nil
	l.idle.Push(&w.node)
}

// BecomeOwner makes a waiter the owner. If there is one, the waiter parks until that leaves. It returns false if the
// waiter was signalled before.
func (l *Line[O]) BecomeOwner(w *Waiter[O]) bool {
	if l.owned {
		return l.park(w)
	}
	l.owned = true
	return true
}

// HasOwner tells whether there is an owner.
func (l *Line[O]) HasOwner() bool { return l.owned }

// PassOwnership makes a parked waiter the owner. If there is none the place is free.
func (l *Line[O]) PassOwnership() {
	next := l.parked.Head()
	if next == nil {
		l.owned = false
		return
	}
	next.Of.promoted = true
	l.unpark(next.Of)
}

// Signal ends the wait of w.
func (l *Line[O]) Signal(w *Waiter[O]) {
	w.done = true
	switch {
	case w.parked:
		l.unpark(w)
	case w == l.sleeper && !l.looking:
		l.nudge()
	}
}

// park sleeps until w is signalled, or made the owner: then it returns true.
func (l *Line[O]) park(w *Waiter[O]) (promoted bool) {
	if w.ch == nil {
		w.ch = make(chan struct{}, 1)
	}
	w.parked = true
	l.parked.Push(&w.node)
	l.parks++
	if l.sleeper != nil && !l.looking {
		l.nudge()
	}
	l.unlock()
	<-w.ch
	l.lock()
	return w.promoted
}

func (l *Line[O]) unpark(w *Waiter[O]) {
	w.parked = false
	l.parked.Remove(&w.node)
	l.Yield = true
	w.ch <- struct{}{} // has room: w was parked, and took the token of the last time
}

func (l *Line[O]) nudge() {
	l.nudges++
	l.wake()
}

// BeginSleep says that the owner goes to sleep, and returns whether other goroutines of the rank are to run before. An
// owner that waits for a condition lets them run only if waits of several goroutines have overlapped before. So a rank
// with one goroutine saves 5 % of a barrier with more ranks than CPUs.
func (l *Line[O]) BeginSleep(w *Waiter[O]) (aside bool) {
	l.sleeper, l.lasting = w, false
	return l.Yield || (w.Until == nil || l.parks != 0) && !shm.Alone()
}

// EndSleep says that the owner is awake.
func (l *Line[O]) EndSleep() { l.sleeper = nil }

// SetLasting says that the sleep of the owner lasts.
func (l *Line[O]) SetLasting() { l.lasting = true }

// Lasting tells whether the last sleep of an owner has lasted.
func (l *Line[O]) Lasting() bool { return l.lasting }

// OwnConditionTrue tells whether the condition of the owner is true, if that needs no lock. The owner calls it in its
// sleep, without the lock.
func (l *Line[O]) OwnConditionTrue() bool {
	c := l.sleeper.Until
	return c != nil && !c.Inside && c.Over()
}

// BeginLook says that the owner looks in its sleep.
func (l *Line[O]) BeginLook() { l.looking = true }

// EndLook says that the look is over. It returns true if the owner has cause to end its sleep.
func (l *Line[O]) EndLook() (stop bool) {
	l.looking = false
	return l.sleeper.done || l.Yield
}

// Looking tells whether the owner looks in its sleep.
func (l *Line[O]) Looking() bool { return l.looking }

// Serve makes w the server. It returns false if there is one.
func (l *Line[O]) Serve(w *Waiter[O]) bool {
	if l.server != nil {
		return false
	}
	l.server = w
	return true
}

// StopServer ends the wait of the server, if there is one.
func (l *Line[O]) StopServer() {
	if l.server != nil {
		l.Signal(l.server)
		l.server = nil
	}
}

// Reported returns the waiter that the hang report names: the owner in its sleep. In place of the server, which waits
// for nothing, it is the waiter that has been parked for the longest time. nil: there is none.
func (l *Line[O]) Reported() *Waiter[O] {
	if l.sleeper == nil || l.sleeper != l.server {
		return l.sleeper
	}
	return l.longestParked()
}

// ReportedBehindServer is Reported if the owner is the server and its sleep lasts; else it returns nil.
func (l *Line[O]) ReportedBehindServer() *Waiter[O] {
	if l.lasting && l.sleeper != nil && l.sleeper == l.server {
		return l.longestParked()
	}
	return nil
}

func (l *Line[O]) longestParked() *Waiter[O] {
	if l.parked.Empty() {
		return nil
	}
	return l.parked.Head().Of
}

// Asleep tells whether w is the owner and sleeps.
func (l *Line[O]) Asleep(w *Waiter[O]) bool { return w == l.sleeper }

// Counts returns how many waits were parked, and how often the owner was woken by another goroutine of the rank.
func (l *Line[O]) Counts() (parks, nudges uint64) { return l.parks, l.nudges }
