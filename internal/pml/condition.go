package pml

import (
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/pml/wait"
)

// Condition is something in shared memory that a goroutine waits for, beside the operations of
// the engine. The rank that makes it true notifies the inbox of this one. One goroutine at a
// time waits for a condition. Several conditions, and operations, may be waited for at a time.
// It is waited for as an operation is: one goroutine of the rank sleeps for all (see Engine).
type Condition struct {
	engine *Engine
	of     wait.Condition[operation]
}

// NewCondition returns a condition that is true when over says so. over reads by atomic
// operations what other ranks write, and what the goroutine in Wait has written before. It does
// not block, and calls nothing of the engine that takes the lock. The same holds for say, which
// tells the hang report what this rank waits for; it is asked when a wait has turned out to be a
// long one.
func (e *Engine) NewCondition(over func() bool, say func() job.Waiting) *Condition {
	c := &Condition{engine: e, of: wait.Condition[operation]{Over: over, Say: say}}
	c.of.Init()
	return c
}

// Wait returns nil when the condition is true. Meanwhile it sees to the messages of
// this rank, since a peer may need them before it can do its part, and to work of others.
// The error is of the module. The caller has looked long enough for the condition: Wait sleeps
// at once, or after some looks if the rank yields.
func (c *Condition) Wait() error {
	e := c.engine
	e.threads.lock()
	if w := e.line.AddCondition(&c.of); w != nil {
		e.waitFor(w)
	}
	err := c.of.Err()
	e.threads.unlock()
	return err
}
