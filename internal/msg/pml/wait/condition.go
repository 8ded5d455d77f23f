package wait

import (
	"github.com/gopvas/gopvas/internal/msg/pml/list"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Condition is something in shared memory that a goroutine waits for, beside the operations. The rank that makes it
// true ends the sleep of this rank's owner of progress, or has the owner look again.
//
// No signal tells that a condition is true. So the owner checks all conditions that are waited for: in each look, and
// each time that its sleep asks it. It does so under the lock. Hence Over sees what the waiting goroutine has written
// before it took the lock.
//
// No event is lost. A waiter enters its condition in the list under the lock, and checks it then if there is an owner;
// else it becomes the owner. If the condition becomes true later, the notification comes later as well. There are two
// cases:
//
//   - The owner has made its last check before the condition was entered. It had declared itself asleep before that
//     check, so the notification ends its sleep, or has it check again.
//   - The owner has not made its last check. It will check again before it sleeps.
type Condition[O any] struct {
	Over   func() bool
	Say    func() job.Waiting
	Inside bool // Over reads what the lock guards: it is called under the lock alone

	waiter Waiter[O]
	node   list.Node[Condition[O]] // in conditions, while the waiter waits and has not been signalled
	err    error
}

// Init ties a condition to its waiter, once.
func (c *Condition[O]) Init() {
	c.node.Of, c.waiter.node.Of, c.waiter.Until = c, &c.waiter, c
}

// AddCondition begins a wait for a condition. It returns the waiter. It returns nil if the condition is true and there
// is an owner: that makes progress for the rank already.
func (l *Line[O]) AddCondition(c *Condition[O]) *Waiter[O] {
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

// HasConditions tells whether a waiter waits for a condition.
func (l *Line[O]) HasConditions() bool { return !l.conditions.Empty() }

// CheckConditions ends the waits for conditions that are true.
func (l *Line[O]) CheckConditions() {
	for n := l.conditions.Head(); n != nil; {
		c := n.Of
		n = n.Next()
		if c.Over() {
			l.end(c, nil)
		}
	}
}

// FailConditions ends all waits for conditions with an error.
func (l *Line[O]) FailConditions(err error) {
	for l.HasConditions() {
		l.end(l.conditions.Head().Of, err)
	}
}

func (l *Line[O]) end(c *Condition[O], err error) {
	c.err = err
	l.conditions.Remove(&c.node)
	l.Signal(&c.waiter)
}
