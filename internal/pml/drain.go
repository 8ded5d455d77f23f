package pml

import "github.com/gopvas/gopvas/internal/job"

// Drain is for the end of a rank. It waits for the sends that nobody else waits for, those that are ahead and those
// that were left (Leave), until they are with their receivers, or these receive no more. to tells which ranks may
// still receive.
func (e *Engine) Drain(to func(rank int) bool) {
	e.lock()
	some := e.draining(to) != nil
	e.unlock()
	if !some {
		return
	}
	e.job.Drains(e.rank) // before the condition looks
	over := func() bool { return e.draining(to) == nil }
	_ = e.NewCondition(over, func() job.Waiting { // an error: the module is broken, and all sends have failed
		say := job.Waiting{Op: job.OpSend, Peer: job.AnyPeer}
		if op := e.draining(to); op != nil {
			say = op.describe()
		}
		say.Call = "finalize"
		return say
	}).Wait()
}

// draining returns a send that Drain waits for, nil if there is none.
func (e *Engine) draining(to func(rank int) bool) *operation {
	for _, op := range e.existing {
		if op.kind == sending && (op.ahead || op.left) && (op.state == queued || op.state == moving) &&
			to(int(op.peer)) && e.job.MayReceive(int(op.peer)) {
			return op
		}
	}
	return nil
}
