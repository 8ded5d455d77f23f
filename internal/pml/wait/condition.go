package wait

import (
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/pml/list"
)

// Condition is something in shared memory that a goroutine waits for, beside the operations. Whoever makes it true
// ends the sleep of the rank's owner of progress, or has it look again.
//
// Nobody completes a condition. So the owner asks all that are waited for: in each look, and each time that its sleep
// asks it. It does so under the lock, which orders what Over reads of the waiting goroutine's after that goroutine has
// written it.
//
// No event is lost. Who waits enters its condition in the list under the lock, and then asks it.
// If it becomes true later, the notification comes later as well. The owner is then one of these:
//
//   - It has asked the list last before the condition was entered. It had declared itself asleep
//     before that, so the notification ends its sleep, or has it ask again.
//   - It has not asked since. It will, before it sleeps.
type Condition[O any] struct {
	Over   func() bool
	Say    func() job.Waiting
	Inside bool // Over reads what the lock guards: it is asked under the lock alone

	waiter Waiter[O]
	node   list.Node[Condition[O]] // in conditions, while the waiter waits and has not been signalled
	err    error
}

// Init ties a condition to its waiter, once.
func (c *Condition[O]) Init() {
	c.node.Of, c.waiter.node.Of, c.waiter.Until = c, &c.waiter, c
}

// Begin enters a condition. It returns the waiter of the wait, and nil if the condition is true and an owner has seen
// to what it is for.
func (l *Line[O]) Begin(c *Condition[O]) *Waiter[O] {
	c.err = nil
	c.waiter.reset()
	l.conditions.Push(&c.node)
	if l.owned && c.Over() {
		l.end(c, nil)
		return nil
	}
	return &c.waiter
}

// Err is why the last wait has failed; nil: it has not.
func (c *Condition[O]) Err() error { return c.err }

// Conditional tells whether somebody waits for a condition.
func (l *Line[O]) Conditional() bool { return !l.conditions.Empty() }

// Ask ends the waits for conditions that are true.
func (l *Line[O]) Ask() {
	for n := l.conditions.Head(); n != nil; {
		c := n.Of
		n = n.Next()
		if c.Over() {
			l.end(c, nil)
		}
	}
}

// Drop ends all waits for conditions with an error.
func (l *Line[O]) Drop(err error) {
	for l.Conditional() {
		l.end(l.conditions.Head().Of, err)
	}
}

func (l *Line[O]) end(c *Condition[O], err error) {
	c.err = err
	l.conditions.Remove(&c.node)
	l.Signal(&c.waiter)
}
