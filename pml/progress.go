package pml

import "github.com/gopvas/gopvas/btl"

const (
	// pollBatch is how many messages one look at the queue takes: more would let
	// the caller, whose own may be the first of them, wait for the others.
	pollBatch = 16

	// moveBatch is how many transfers one look asks, of many, in turn.
	moveBatch = 16
)

// progress moves what can be moved, without blocking.
func (e *Engine) progress() {
	e.module.Poll(pollBatch, e.onFrame)
	if e.movingCount > 0 {
		e.advance(min(e.movingCount, moveBatch))
	}
	if len(e.crowded) > 0 {
		e.flush()
	}
	if e.root.GoneCount() != e.gone {
		e.noteGone()
	}
	if e.tasks.head != nil {
		e.advanceTasks()
	}
}

// Progress makes what progress there is to make for all operations of the rank. It does
// not block.
func (e *Engine) Progress() {
	e.lock()
	e.progressAll()
	e.mu.Unlock()
}

// progressAll looks at everything. A sleeper uses it: what it passed over would be slept
// on.
func (e *Engine) progressAll() {
	for e.module.Poll(pollBatch, e.onFrame) == pollBatch {
	}
	e.advance(e.movingCount)
	if len(e.crowded) > 0 {
		e.flush()
	}
	if e.root.GoneCount() != e.gone {
		e.noteGone()
	}
	if e.tasks.head != nil {
		e.advanceTasks()
	}
}

// ready is what an owner of progress asks itself in its sleep.
func (e *Engine) ready() bool {
	e.lock()
	e.inReady = true
	e.progressAll()
	e.inReady = false
	stop := e.sleeper.done || e.yield || e.wanted()
	e.mu.Unlock()
	return stop
}

// move starts to look after a transfer. It asks at once: a receiver's bytes often
// can be had at once.
func (e *Engine) move(op *operation, t btl.Transfer) {
	op.state, op.transfer = moving, t
	if op.kind == receiving && e.step(op) {
		return
	}
	e.moving.push(&op.node)
	e.movingCount++
}

// advance asks the first n transfers for progress. Those that are not done go to
// the end, so that all have their turn.
func (e *Engine) advance(n int) {
	for ; n > 0; n-- {
		op := e.moving.pop()
		if op == nil {
			return
		}
		if e.step(op) {
			e.movingCount--
		} else {
			e.moving.push(&op.node)
		}
	}
}

// step asks one transfer, of an operation in no list, and completes the operation
// when it is done. An error of the size is kept in err since the start.
func (e *Engine) step(op *operation) bool {
	done, err := op.transfer.Progress()
	if !done {
		return false
	}
	if err == nil {
		err = op.err
	}
	e.complete(op, err)
	return true
}
