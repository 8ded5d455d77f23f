package pml

import "github.com/gopvas/gopvas/internal/job"

// Short sends that run ahead. A short standard send to a peer that has released too few messages is over when a copy of
// it is offered. The copy is the sender's, so the memory of a job grows with its ranks and not with their square:
// job.AheadLimit bounds it. Then sends wait for their receiver again. The copy is offered: the receiver
// takes it in one address space, or by a single copy, without a further call of the sender.
//
// As long as sends are ahead there is no short way: an attempt at zero copy behind them would be asked too seldom.
//
// A send whose call waits is patient: it first waits as long as a wait looks before it sleeps, since most receivers
// come soon. It is not if others to the peer are ahead already.

// mayRunAhead tells whether there is room for a short standard send.
func (e *Engine) mayRunAhead(op *operation) bool {
	return e.ahead+op.buf.Len()+job.AheadCost <= job.AheadLimit
}

// runAhead offers a copy of a send that is in no list, and completes the send. It returns false if the peer's ring is
// full.
func (e *Engine) runAhead(op *operation) bool {
	copied := e.newOperation(sending, op.context, int(op.Peer), int(op.Tag))
	copied.request, copied.mark, copied.buf.Of = 0, op.mark, op.buf.Of
	copied.buf.Bytes = e.spare(op.buf.Len())
	op.buf.Pack(copied.buf.Bytes, 0)
	t, ok := e.to(int(op.Peer)).Offer(int(op.Peer), e.head(op.context, op.Tag, op.mark), &copied.buf)
	if !ok {
		e.keep(copied.buf.Bytes)
		e.discard(copied)
		return false
	}
	if e.trace != nil {
		e.traceSent(op)
	}
	copied.offered, copied.left, copied.ahead = true, true, true
	e.ahead += copied.buf.Len() + job.AheadCost
	e.updateFastPath()
	e.move(copied, t)
	e.complete(op, nil)
	return true
}

// spares bounds how many buffers are kept for later copies: with them a row of sends allocates nothing.
const spares = 64

// spare returns n bytes for a copy, and keep takes them back.
func (e *Engine) spare(n int) []byte {
	if last := len(e.spared) - 1; last >= 0 {
		b := e.spared[last]
		if e.spared = e.spared[:last]; n <= cap(b) {
			return b[:n]
		}
	}
	return make([]byte, n)
}

func (e *Engine) keep(b []byte) {
	if len(e.spared) < spares {
		e.spared = append(e.spared, b)
	}
}

// arrived notes that a send that was ahead is complete.
func (e *Engine) arrived(op *operation) {
	op.ahead = false
	e.keep(op.buf.Bytes)
	if e.ahead -= op.buf.Len() + job.AheadCost; e.ahead == 0 {
		e.updateFastPath()
	}
}
