package pml

import (
	"math"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/pml/list"
	"github.com/gopvas/gopvas/internal/trace/recorder"
)

const (
	// pollBatch is how many messages one look at the queue takes: more would let
	// the caller, whose own may be the first of them, wait for the others.
	pollBatch = 16

	// pollBatches is how many batches one look takes that is for everything: a queue of the node.
	pollBatches = 16

	// moveBatch is how many transfers one look asks, of many, in turn.
	moveBatch = 16
)

// progress advances the operations, without blocking. It returns how many messages have come by the module.
func (e *Engine) progress() (came int) {
	came = e.routes.First.Poll(pollBatch, e.onFrame)
	if e.routes.Several() {
		e.pollFurther(pollBatch)
	}
	if e.movingCount > 0 {
		e.advance(min(e.movingCount, moveBatch))
	}
	if len(e.busy) > 0 {
		e.advanceSends(moveBatch)
	}
	if len(e.pending) > 0 {
		e.flush()
	}
	if e.GoneCount() != e.gone {
		e.noteGone()
	}
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
	if len(e.pending) > 0 {
		e.flush()
	}
	if e.GoneCount() != e.gone {
		e.noteGone()
	}
	if !e.tasks.Empty() {
		e.advanceTasks()
	}
}

// settle asks all transfers.
func (e *Engine) settle() {
	e.advance(e.movingCount)
	e.advanceSends(math.MaxInt)
}

// ready is the condition of an owner of progress that sleeps. Where its own Condition is true, and
// needs no lock, it takes none: the owner looks at the others when it is awake.
func (e *Engine) ready() bool {
	if c := e.sleeper.until; c != nil && !c.inside && c.over() {
		return true
	}
	look := e.job.Asked()
	e.lock()
	e.inReady = true
	if e.lasting {
		e.tellPatient()
	}
	e.progressAll()
	e.askConditions()
	e.announceParked()
	e.sayAgain(e.speaker())
	e.inReady = false
	stop := e.sleeper.done || e.yield || e.wanted()
	if !stop {
		e.sayPlace()
		if look != 0 {
			e.answer(look)
		}
	}
	e.unlock()
	return stop
}

// sayPlace answers a report: this rank says again what it waits for, and where the program's call is. To find the place
// allocates, so ranks do it only for a report. A report may come between two looks. To say it withdraws the answer
// to the last look, so answer comes after sayPlace.
func (e *Engine) sayPlace() {
	w, report := e.announced, e.reports.Load()
	if report == e.placed || !e.lasting || w == nil || w.done || w != e.speaker() {
		return
	}
	e.placed = report
	if w == e.sleeper { // this is its goroutine; others' stacks are out of reach
		w.source = recorder.Caller()
	}
	e.say(w, e.describe(w))
}

// answer answers a look of the supervisor that was asked before ready was called, if this rank waits and no message is
// on its way: see job.Answer. A further answer to the same look only updates the moves.
//
// A message is on its way in three cases. Its receiver copies its bytes. Its sender is in the middle of sending it,
// which holds back the messages behind it. A further module has sent it and has no acknowledgement. A send that is
// offered, or has no room at its receiver, is not on its way: it waits until the receiver does something.
func (e *Engine) answer(look uint32) {
	w := e.announced
	if !e.lasting || w == nil || w.done || w != e.speaker() || e.movingCount > 0 || !e.routes.Settled() {
		return
	}
	if look != e.answered {
		e.say(w, e.describe(w))
		e.answered = look
	}
	e.job.Answer(e.rank, job.Answer{Look: look, Moves: e.moves + uint32(e.completions)})
}

// move starts to look after a transfer. It asks at once: a receiver's bytes often
// can be had at once.
func (e *Engine) move(op *operation, t btl.Transfer) {
	op.state, op.transfer = moving, t
	if op.kind == sending {
		b := e.sendsTo(op.Peer)
		if b.underway.Empty() && b.away.Empty() {
			e.busy = append(e.busy, b)
		}
		if op.ahead {
			b.away.Push(&op.node)
		} else {
			b.underway.Push(&op.node)
		}
		return
	}
	if e.step(op) {
		return
	}
	e.moving.Push(&op.node)
	e.movingCount++
}

// advance asks the first n receives for progress. Those that are not done go to
// the end, so that all have their turn.
func (e *Engine) advance(n int) {
	for ; n > 0; n-- {
		op := e.moving.Pop()
		if op == nil {
			return
		}
		if e.step(op) {
			e.movingCount--
		} else {
			e.moving.Push(&op.node)
		}
	}
}

// advanceSends asks sends for progress, to each peer in the order in which they were
// begun, because receivers most often take them in this order. A send that is found
// done is followed by the next; of those that are not, it asks some number, of all peers
// in turn. So a rank with many sends underway makes steps in proportion to what its
// peers do, not to its own waits. An operation that a peer takes out of this order is found when
// more are asked: now and then in a wait (wider), and all before the rank sleeps.
func (e *Engine) advanceSends(most int) {
	peers := len(e.busy)
	if peers == 1 {
		if e.stepSends(e.busy[0], most) {
			e.busy = e.busy[:0]
		}
		return
	}
	if most >= peers {
		e.turn = 0 // each peer once: what takes the place of one that is done was not asked yet
	}
	for range min(peers, most) {
		if e.turn >= len(e.busy) {
			e.turn = 0
		}
		if !e.stepSends(e.busy[e.turn], max(most/peers, 1)) {
			e.turn++
			continue
		}
		last := len(e.busy) - 1
		e.busy[e.turn] = e.busy[last]
		e.busy = e.busy[:last]
	}
}

// stepSends asks the sends to one peer until n of them are not done, and fewer of those that are ahead. It returns
// whether none is left.
func (e *Engine) stepSends(b *peerSends, n int) bool {
	e.stepList(&b.underway, n)
	if !b.away.Empty() {
		e.stepList(&b.away, max(n/moveBatch, 1))
	}
	return b.underway.Empty() && b.away.Empty()
}

// stepList asks the sends of a list until n of them are not done.
func (e *Engine) stepList(l *list.List[operation], n int) {
	for at := l.Head(); at != nil && n > 0; {
		op := at.Of
		at = at.Next()
		if done, err := op.transfer.Progress(); done {
			l.Remove(&op.node)
			e.complete(op, err)
		} else {
			n--
		}
	}
}

// wider returns how many sends a wait asks that has looked so often, beside those that each look
// asks. The longer the wait lasts, the more it asks, and the less often: all of them together are
// less than twice what all looks ask.
func wider(looks int) int {
	if looks < 2*moveBatch || looks&(looks-1) != 0 {
		return 0
	}
	return looks * moveBatch
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
