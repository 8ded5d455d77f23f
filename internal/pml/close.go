package pml

import (
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Close ends the use of the engine: no operation can be begun any more, and those
// that have found no partner yet fail with ErrFinalized, so that no goroutine stays
// behind in a wait. It does not block and leaves the module open.
//
// The error is ErrFinalized if the engine was closed before, or a *LeakError if
// something was left; the engine is closed nevertheless.
func (e *Engine) Close() error {
	e.lock()
	defer e.unlock()
	if e.closed {
		return ErrFinalized
	}
	leak := fault.LeakError{Messages: e.stats.matchedNow}
	for _, op := range e.pool.all {
		if op.state != free && !op.left && op.request != step { // its task is counted, unless nobody waits for that
			leak.Requests++
			if leak.First == "" {
				leak.First = op.String()
			}
		}
	}
	e.closed = true
	e.updateFastPath()
	e.publish()
	e.dropAll(ErrFinalized)
	e.line.StopServer()
	if leak.Requests > 0 || leak.Messages > 0 {
		return &leak
	}
	return nil
}

// Reopen undoes Close: operations can be begun again.
func (e *Engine) Reopen() {
	e.lock()
	e.closed = false
	e.updateFastPath()
	e.unlock()
}

// dropAll fails everything that has found no partner yet.
func (e *Engine) dropAll(err error) {
	for op := range e.match.Expel(func(*operation) error { return err }) {
		e.complete(op, err)
	}
	e.dropQueued(func(int32) error { return err })
}

// fail ends everything that is underway, because the module has told that it cannot
// go on, and makes all that is begun from now on fail. Peers see a rank that does not
// answer, until it ends.
func (e *Engine) fail(err error) {
	e.broken = err
	e.updateFastPath()
	e.dropAll(err)
	e.receives.Drop(err, e.on.moved)
	e.sends.Drop(err, e.on.moved)
	e.tasks.Drop(err, e.on.moved)
	e.line.FailConditions(err)
}

// Drain is for the end of a rank. It waits for the sends that nobody else waits for: those that are ahead, and those
// that were left (Leave). Each ends when its receiver has it, or receives no more. to tells which ranks may still
// receive.
func (e *Engine) Drain(to func(rank int) bool) {
	e.lock()
	some := e.draining(to) != nil
	e.unlock()
	if !some {
		return
	}
	e.job.Drains(e.rank) // before the condition looks
	over := func() bool { return e.draining(to) == nil }
	c := e.NewCondition(over, func() job.Waiting {
		say := job.Waiting{Op: job.OpSend, Peer: job.AnyPeer}
		if op := e.draining(to); op != nil {
			say = op.describe()
		}
		say.Call = "finalize"
		return say
	})
	c.of.Inside = true
	_ = c.Wait() // an error: the module is broken, and all sends have failed
}

// draining returns a send that Drain waits for, nil if there is none.
func (e *Engine) draining(to func(rank int) bool) *operation {
	for _, op := range e.pool.all {
		if op.kind == sending && (op.ahead || op.left) && (op.state == queued || op.state == moving) &&
			to(int(op.Peer)) && e.job.MayReceive(int(op.Peer)) {
			return op
		}
	}
	return nil
}
