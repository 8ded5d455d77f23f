package pml

import (
	"fmt"

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
	for _, op := range e.existing {
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
	if e.server != nil {
		e.signal(e.server)
		e.server = nil
	}
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
	for _, m := range e.matchers {
		m.each(func(op *operation) {
			m.withdraw(op)
			e.complete(op, err)
		})
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
	for op := e.moving.pop(); op != nil; op = e.moving.pop() {
		e.complete(op, err)
	}
	e.movingCount = 0
	for _, b := range e.busy {
		for _, l := range []*list[operation]{&b.underway, &b.away} {
			for op := l.pop(); op != nil; op = l.pop() {
				e.complete(op, err)
			}
		}
	}
	e.busy = e.busy[:0]
	for op := e.tasks.pop(); op != nil; op = e.tasks.pop() {
		e.complete(op, err)
	}
	for e.conditions.head != nil {
		e.end(e.conditions.head.of, err)
	}
}

// String names the operation, for messages to people.
func (op *operation) String() string {
	what, direction := "receive", "from"
	switch op.kind {
	case tasking:
		return op.describeTask()
	case sending:
		what, direction = "send", "to"
	case probing, picking:
		what = "probe"
	}
	peer := fmt.Sprintf("rank %d", op.peer)
	switch op.peer {
	case AnySource:
		peer = "any source"
	case ProcNull:
		peer = "nobody"
	}
	tag := fmt.Sprintf("tag %d", op.tag)
	if op.tag == AnyTag {
		tag = "any tag"
	}
	s := fmt.Sprintf("%s of %d bytes %s %s, %s", what, op.buf.Len(), direction, peer, tag)
	switch {
	case op.persistent && op.state == idle:
		s += ", persistent and not freed"
	case op.state == complete:
		s += ", complete but not waited for"
	}
	return s
}

// describeTask names the operation, for messages to people.
func (op *operation) describeTask() string {
	s := fmt.Sprintf("nonblocking operation in context %d", op.context)
	switch {
	case op.state == complete:
		s += ", complete but not waited for"
	case op.persistent && op.state == idle:
		s += ", persistent and not freed"
	}
	return s
}
