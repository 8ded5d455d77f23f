package pml

import "github.com/gopvas/gopvas/internal/pml/list"

// waiter is one goroutine that waits for operations, or for a condition. It is told when the
// first of those it is registered with (operation.waiter) is complete. The protocol is with
// Engine; all fields are guarded by its lock.
type waiter struct {
	node     list.Node[waiter] // in parked, or in the pool
	done     bool              // signalled
	parked   bool              // sleeps on ch, or is about to
	promoted bool              // is the owner of progress now
	since    int64             // when it was announced
	source   string            // the call of the program, if a report has asked for it and it is known
	said     uint64            // what completions was when it was described last
	ch       chan struct{}     // one token at most; made when first needed
	about    *operation        // one of the operations, for the hang report
	any      bool              // it waits for any of several operations
	bounded  bool              // it gives up by itself
	call     string            // the call, if it is another than the operation's
	until    *Condition        // what it waits for instead of operations; set once
}

func (e *Engine) newWaiter(about *operation) *waiter {
	w := e.waiters.Pop()
	if w == nil {
		w = &waiter{}
		w.node.Of = w
	}
	w.reset()
	w.about, w.call = about, ""
	return w
}

// reset prepares a waiter that nobody uses for a wait.
func (w *waiter) reset() { w.done, w.promoted, w.any, w.bounded = false, false, false, false }

func (e *Engine) freeWaiter(w *waiter) {
	w.about = nil
	e.waiters.Push(&w.node)
}

// signal ends the wait of w. See Engine.
func (e *Engine) signal(w *waiter) {
	w.done = true
	switch {
	case w.parked:
		e.unpark(w)
	case w == e.sleeper && !e.inReady:
		e.stats.Nudges++
		e.routes.First.Wake()
	}
}

// park sleeps until w is signalled, or made the owner: then it returns true.
func (e *Engine) park(w *waiter) (promoted bool) {
	if w.ch == nil {
		w.ch = make(chan struct{}, 1)
	}
	w.parked = true
	e.parked.Push(&w.node)
	e.stats.Parks++
	if e.sleeper != nil && !e.inReady {
		// We may leave a transfer or a queued send behind that it has not seen.
		e.stats.Nudges++
		e.routes.First.Wake()
	}
	e.unlock()
	<-w.ch
	e.lock()
	return w.promoted
}

func (e *Engine) unpark(w *waiter) {
	w.parked = false
	e.parked.Remove(&w.node)
	e.yield = true
	w.ch <- struct{}{} // has room: w was parked, and took the token of the last time
}
