package pml

import (
	"errors"
	"slices"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Close ends the use of the engine: no operation can be begun any more, and those
// that have found no partner yet fail with ErrFinalized, so that no goroutine stays
// behind in a wait. It does not block and leaves the module open.
//
// The error is ErrFinalized if the engine was closed before, or a *LeakError if
// something was left; the engine is closed nevertheless.
func (e *Engine) Close() error {
	e.threads.lock()
	defer e.threads.unlock()
	if e.p.closed {
		return ErrFinalized
	}
	leak := e.p.leak()
	e.p.setClosed(true)
	e.report.publish()
	e.p.dropAll(ErrFinalized)
	for _, op := range e.p.pool.all {
		if op.watched { // nobody makes progress any more
			e.p.unwatch(op)
		}
	}
	e.line.StopServer()
	return leak
}

// leak says what is left that nobody has waited for or received; nil: nothing is. What a death or a revocation has
// ended does not count: a program that begins anew leaves it.
func (p *protocol) leak() error {
	leak := fault.LeakError{Messages: p.stats.matchedNow}
	for _, op := range p.pool.all {
		if op.state != free && !op.left && !op.broken() &&
			op.request != step { // its task is counted, unless nobody waits for that
			leak.Requests++
			if leak.First == "" {
				leak.First = op.String()
			}
		}
	}
	if leak.Requests > 0 || leak.Messages > 0 {
		return &leak
	}
	return nil
}

// broken tells whether the operation has ended with the death of a rank or the revocation of its communicator.
func (op *operation) broken() bool {
	return op.state == complete && (errors.Is(op.err, ErrRevoked) || errors.As(op.err, new(*fault.LostError)))
}

// Reopen undoes Close: operations can be begun again.
func (e *Engine) Reopen() {
	e.threads.lock()
	e.p.setClosed(false)
	e.threads.unlock()
}

// Drain is for the end of a rank. It waits for the sends that nobody else waits for: those that are ahead, and those
// that were left (Leave). Each ends when its receiver has it, or receives no more. to tells which ranks may still
// receive.
func (e *Engine) Drain(to func(rank int) bool) {
	may := func(rank int) bool { return to(rank) && e.job.MayReceive(rank) }
	e.threads.lock()
	some := e.p.draining(may) != nil
	e.threads.unlock()
	if !some {
		return
	}
	e.job.Drains(e.p.rank) // before the condition looks
	over := func() bool { return e.p.draining(may) == nil }
	c := e.NewCondition(over, func() job.Waiting {
		say := job.Waiting{Op: job.OpSend, Peer: job.AnyPeer}
		if op := e.p.draining(may); op != nil {
			say = op.describe()
		}
		say.Call = "finalize"
		return say
	})
	c.of.Inside = true
	_ = c.Wait() // an error: the module is broken, and all sends have failed
}

// fail ends everything that is underway, because the module has told that it cannot
// go on, and makes all that is begun from now on fail. Peers see a rank that does not
// answer, until it ends.
func (e *Engine) fail(err error) {
	e.p.fail(err)
	e.tasks.underway.Drop(err, e.p.on.moved)
	e.line.FailConditions(err)
}

// Touches tells whether this rank may still read private memory of one of some ranks that have gone: a message of it is
// underway, or was offered and not received; it is not known to be dead yet; or there is a task, which may do so.
func (e *Engine) Touches(gone []int) bool {
	e.threads.lock()
	defer e.threads.unlock()
	e.progressAll()
	return !e.tasks.none() || e.p.touches(gone)
}

// touches tells whether a message of one of some ranks that have gone is underway, or was offered and not received.
func (p *protocol) touches(gone []int) bool {
	if p.stats.matchedNow > 0 { // by matched probes, of whatever rank
		return true
	}
	for _, rank := range gone {
		if rank != p.rank && (!p.gone.Any() || !p.gone.Dead(rank)) {
			return true
		}
	}
	for _, op := range p.pool.all {
		if (op.state == moving || op.state == queued) && slices.Contains(gone, int(op.Peer)) {
			return true
		}
	}
	for _, c := range p.match.Contexts() {
		for msg := range c.Messages() {
			if msg.origin == offered && slices.Contains(gone, int(msg.frame.Source)) {
				return true
			}
		}
	}
	return false
}
