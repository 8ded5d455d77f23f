package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/job"
)

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
	c := e.NewCondition(over, func() job.Waiting {
		say := job.Waiting{Op: job.OpSend, Peer: job.AnyPeer}
		if op := e.draining(to); op != nil {
			say = op.describe()
		}
		say.Call = "finalize"
		return say
	})
	c.inside = true
	_ = c.Wait() // an error: the module is broken, and all sends have failed
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

// Uses tells whether an operation that was begun and not waited for has memory in common with a buffer that is to be
// received into. A send that is over counts no more, since its call may be the one that was waited for.
func (e *Engine) Uses(b *btl.Buffer) bool {
	e.lock()
	defer e.unlock()
	for _, op := range e.existing {
		uses := false
		switch op.state {
		case queued, held, moving:
			uses = !op.ahead
		case posted, complete:
			uses = op.kind == receiving
		}
		if uses && op.kind <= receiving && op.buf.Meets(b) {
			return true
		}
	}
	return false
}
