package wait

import (
	"github.com/gopvas/gopvas/internal/pml/list"
	"github.com/gopvas/gopvas/shm"
)

// Line is those who wait. One of them is the owner of progress: it polls, and sleeps until something comes. The others
// are parked: each sleeps on a channel of its own.
//
// Invariant: whenever the lock is free and somebody is parked, there is an owner that polls, sleeps, or is about to
// run. For a waiter parks only behind an owner (Own), and an owner that leaves makes a parked one the owner (Pass).
//
// A signal for the owner in its sleep wakes it, unless the owner itself looks at that time (Looking): then it asks
// whether it was signalled before it sleeps on. So does a waiter that parks: it may leave something behind that the
// owner has not seen.
type Line[O any] struct {
	// Yield says that a parked goroutine was woken: the owner lets it run, and clears this.
	Yield bool

	unlock, lock func()
	wake         func() // ends the owner's sleep

	owned      bool                    // somebody is the owner of progress
	looking    bool                    // the owner looks in its sleep
	lasting    bool                    // its sleep lasts
	sleeper    *Waiter[O]              // the owner, while it sleeps
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

// Own makes a waiter the owner, if need be when another one has left. It returns false if the waiter was signalled
// before that.
func (l *Line[O]) Own(w *Waiter[O]) bool {
	if l.owned {
		return l.park(w)
	}
	l.owned = true
	return true
}

// Owned tells whether there is an owner.
func (l *Line[O]) Owned() bool { return l.owned }

// Pass makes a parked waiter the owner. If there is none the place is free.
func (l *Line[O]) Pass() {
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

// Lie says that the owner goes to sleep, and returns whether goroutines of the rank are to run before. An owner that
// waits for a condition lets them only where some have waited at a time before: for a rank with one, that is 5 % of a
// barrier with more ranks than CPUs.
func (l *Line[O]) Lie(w *Waiter[O]) (aside bool) {
	l.sleeper, l.lasting = w, false
	return l.Yield || (w.Until == nil || l.parks != 0) && !shm.Alone()
}

// Rise says that the owner is awake.
func (l *Line[O]) Rise() { l.sleeper = nil }

// Last says that the sleep of the owner lasts.
func (l *Line[O]) Last() { l.lasting = true }

// Lasting tells whether it does.
func (l *Line[O]) Lasting() bool { return l.lasting }

// Over tells, for the owner in its sleep, whether its own condition is true, if that needs no lock. It is called
// without the lock.
func (l *Line[O]) Over() bool {
	c := l.sleeper.Until
	return c != nil && !c.Inside && c.Over()
}

// Look says that the owner looks in its sleep.
func (l *Line[O]) Look() { l.looking = true }

// Looked ends that. It returns true if the owner has cause to end its sleep.
func (l *Line[O]) Looked() (stop bool) {
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

// Dismiss ends the wait of the server, if there is one.
func (l *Line[O]) Dismiss() {
	if l.server != nil {
		l.Signal(l.server)
		l.server = nil
	}
}

// Speaker returns the waiter of which the hang report tells: the owner in its sleep. In place of the server, which
// waits for nothing, it is the one that is parked for the longest time. nil: there is none.
func (l *Line[O]) Speaker() *Waiter[O] {
	if l.sleeper == nil || l.sleeper != l.server {
		return l.sleeper
	}
	return l.behindServer()
}

// Behind returns the speaker if it is parked behind the server, whose sleep lasts; else nil.
func (l *Line[O]) Behind() *Waiter[O] {
	if l.lasting && l.sleeper != nil && l.sleeper == l.server {
		return l.behindServer()
	}
	return nil
}

func (l *Line[O]) behindServer() *Waiter[O] {
	if l.parked.Empty() {
		return nil
	}
	return l.parked.Head().Of
}

// Asleep tells whether w is the owner and sleeps.
func (l *Line[O]) Asleep(w *Waiter[O]) bool { return w == l.sleeper }

// Counts returns how many waits were parked, and how often the owner was woken by another goroutine of the rank.
func (l *Line[O]) Counts() (parks, nudges uint64) { return l.parks, l.nudges }
