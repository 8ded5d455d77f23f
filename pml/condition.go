package pml

import (
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/job"
)

// Condition is something in shared memory that a goroutine waits for, beside the operations of
// the engine. The rank that makes it true notifies the inbox of this one. One goroutine at a
// time waits for a condition. Several conditions, and operations, may be waited for at a time.
type Condition struct {
	engine  *Engine
	over    func() bool
	say     func() job.Waiting
	ready   func() bool // the callbacks of Sleep, as values: made once, since that allocates
	lasting func()
	said    bool // in the job's root block
}

// NewCondition returns a condition that is true when over says so. over reads by atomic
// operations, and does not block. say tells the hang report what this rank waits
// for; it is asked when a wait has turned out to be a long one.
func (e *Engine) NewCondition(over func() bool, say func() job.Waiting) *Condition {
	c := &Condition{engine: e, over: over, say: say}
	c.ready = func() bool { return c.look() || e.wanted() }
	c.lasting = c.announce
	return c
}

// Wait returns nil when the condition is true. Meanwhile it sees to the messages of
// this rank, since a peer may need them before it can do its part, and to work of others.
// The error is of the module.
func (c *Condition) Wait() error {
	e := c.engine
	for {
		err := e.module.Sleep(0, c.ready, c.lasting)
		e.awake()
		if e.helper != nil && e.helper.Pending() {
			e.helper.Help()
		}
		if err != nil || c.look() {
			c.withdraw()
			return err
		}
	}
}

// look makes progress if the condition is not true yet.
func (c *Condition) look() bool {
	if c.over() {
		return true
	}
	c.engine.Progress()
	return c.over()
}

// announce says in the job's root block what this rank waits for.
func (c *Condition) announce() {
	w := c.say()
	w.Since = sys.Monotonic()
	c.engine.job.SetWaiting(c.engine.rank, w)
	c.said = true
}

// withdraw undoes announce.
func (c *Condition) withdraw() {
	if c.said {
		c.said = false
		c.engine.job.ClearWaiting(c.engine.rank)
	}
}
