package pml

import (
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/pml/list"
)

// Condition is something in shared memory that a goroutine waits for, beside the operations of
// the engine. The rank that makes it true notifies the inbox of this one. One goroutine at a
// time waits for a condition. Several conditions, and operations, may be waited for at a time.
//
// A condition is waited for as an operation is: one goroutine of the rank, the owner of progress,
// sleeps for all (see Engine). Nobody completes a condition. So the owner asks all that are
// waited for: in each look, and each time that Sleep asks it. It does so under the lock, which
// orders what over reads of the waiting goroutine's after that goroutine has written it.
//
// No event is lost. Who waits enters its condition in the list under the lock, and then asks it.
// If it becomes true later, the notification comes later as well. The owner is then one of these:
//
//   - It has asked the list last before the condition was entered. It had declared itself asleep
//     before that, so the notification ends its sleep, or has Sleep ask again.
//   - It has not asked since. It will, before it sleeps.
type Condition struct {
	engine *Engine
	over   func() bool
	say    func() job.Waiting
	inside bool // over reads what the engine's lock guards: it is asked under the lock alone

	// Guarded by the engine's lock.
	waiter waiter
	node   list.Node[Condition] // in conditions, while the waiter waits and has not been signalled
	err    error
}

// NewCondition returns a condition that is true when over says so. over reads by atomic
// operations what other ranks write, and what the goroutine in Wait has written before. It does
// not block, and calls nothing of the engine that takes the lock. The same holds for say, which
// tells the hang report what this rank waits for; it is asked when a wait has turned out to be a
// long one.
func (e *Engine) NewCondition(over func() bool, say func() job.Waiting) *Condition {
	c := &Condition{engine: e, over: over, say: say}
	c.node.Of, c.waiter.node.Of, c.waiter.until = c, &c.waiter, c
	return c
}

// Wait returns nil when the condition is true. Meanwhile it sees to the messages of
// this rank, since a peer may need them before it can do its part, and to work of others.
// The error is of the module. The caller has looked long enough for the condition: Wait sleeps
// at once, or after some looks if the rank has a crowd.
func (c *Condition) Wait() error {
	e := c.engine
	e.lock()
	c.err = nil
	c.waiter.reset()
	e.conditions.Push(&c.node)
	if e.owned && c.over() {
		e.end(c, nil)
	} else {
		e.waitFor(&c.waiter)
	}
	err := c.err
	e.unlock()
	return err
}

// askConditions ends the waits for conditions that are true.
func (e *Engine) askConditions() {
	for n := e.conditions.Head(); n != nil; {
		c := n.Of
		n = n.Next()
		if c.over() {
			e.end(c, nil)
		}
	}
}

// end ends the wait for a condition.
func (e *Engine) end(c *Condition, err error) {
	c.err = err
	e.conditions.Remove(&c.node)
	e.signal(&c.waiter)
}
