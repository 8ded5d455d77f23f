package wait

import "github.com/gopvas/gopvas/internal/msg/pml/list"

// Waiter is one goroutine that waits for operations, or for a condition. The first of its operations that is complete
// signals it.
type Waiter[O any] struct {
	About   *O            // one of the operations, for the hang report
	Any     bool          // it waits for any of several operations
	Bounded bool          // the wait may end by itself
	Call    string        // the call, if it is another than the operation's
	Until   *Condition[O] // what it waits for instead of operations; set once
	Said    Said

	node     list.Node[Waiter[O]] // in parked, or in the pool
	done     bool                 // signalled
	parked   bool                 // sleeps on ch, or is about to
	promoted bool                 // was parked, and is the owner of progress now
	ch       chan struct{}        // one token at most; made when first needed
}

// NewWaiter returns a waiter that comes from no pool.
func NewWaiter[O any](about *O, call string) *Waiter[O] {
	w := &Waiter[O]{About: about, Call: call}
	w.node.Of = w
	return w
}

// Done tells whether the waiter was signalled.
func (w *Waiter[O]) Done() bool { return w.done }

// Promoted tells whether it was parked and became the owner of progress.
func (w *Waiter[O]) Promoted() bool { return w.promoted }

// reset prepares a waiter for its next wait.
func (w *Waiter[O]) reset() { w.done, w.promoted, w.Any, w.Bounded = false, false, false, false }
