package pml

import (
	"math"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/pml/flow"
)

const (
	// pollBatch is how many messages one look at the queue takes: more would let
	// the caller, whose own may be the first of them, wait for the others.
	pollBatch = 16

	// pollBatches is how many batches one look takes that is for everything: a queue of the node.
	pollBatches = 16
)

// progress advances the operations, without blocking. It returns how many messages have come by the module.
func (e *Engine) progress() (came int) {
	came = e.routes.First.Poll(pollBatch, e.on.frame)
	if e.routes.Several() {
		e.pollFurther(pollBatch)
	}
	if n := e.receives.Len(); n > 0 {
		e.receives.Advance(min(n, flow.Batch), e.on.moved)
	}
	if e.sends.Busy() {
		e.sends.Advance(flow.Batch, e.on.moved)
	}
	if e.sends.Waiting() {
		e.flush()
	}
	if e.gone.News() {
		e.noteGone()
	}
	e.refusals.look(e.Inside())
	if !e.tasks.Empty() {
		e.advanceTasks()
	}
	return came
}

// Progress makes progress for all operations of the rank. It does
// not block.
func (e *Engine) Progress() {
	e.lock()
	e.progressAll()
	e.unlock()
}

// progressAll looks at everything. A sleeper uses it: an operation that it
// passed over would wait for the whole sleep.
func (e *Engine) progressAll() {
	e.pollAll()
	e.settle()
	if e.sends.Waiting() {
		e.flush()
	}
	if e.gone.News() {
		e.noteGone()
	}
	e.refusals.look(e.Inside())
	if !e.tasks.Empty() {
		e.advanceTasks()
	}
}

// settle asks all transfers.
func (e *Engine) settle() {
	e.receives.Advance(e.receives.Len(), e.on.moved)
	e.sends.Advance(math.MaxInt, e.on.moved)
}

// ready is the condition of an owner of progress that sleeps. Where its own Condition is true, and
// needs no lock, it takes none: the owner looks at the others when it is awake.
func (e *Engine) ready() bool {
	if e.line.OwnConditionTrue() {
		return true
	}
	look := e.job.Asked()
	e.lock()
	e.line.BeginLook()
	if e.line.Lasting() {
		e.tellPatient()
	}
	e.progressAll()
	e.line.CheckConditions()
	e.announce(e.line.ReportedBehindServer())
	e.sayAgain(e.line.Reported())
	stop := e.line.EndLook() || e.wanted()
	if !stop {
		e.sayPlace()
		if look != 0 {
			e.answer(look)
		}
	}
	e.unlock()
	return stop
}

// move starts to look after a transfer.
func (e *Engine) move(op *operation, t btl.Transfer) {
	op.state = moving
	if op.kind == sending {
		e.sends.Start(op.Peer, &op.flow, t, op.ahead)
	} else {
		e.receives.Start(&op.flow, t, e.on.moved)
	}
}

// moved completes the operation of a transfer that is done. An error of the size is kept in err since the start.
func (e *Engine) moved(op *operation, err error) {
	if err == nil {
		err = op.err
	}
	e.complete(op, err)
}
