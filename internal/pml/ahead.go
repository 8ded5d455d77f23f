package pml

// Short sends that run ahead. A short standard send to a peer that has released too few messages is over when a copy of
// it is offered. The copy is the sender's, so the memory of a job grows with its ranks and not with their square:
// job.AheadLimit bounds it. Then sends wait for their receiver again. The copy is offered: the receiver
// takes it in one address space, or by a single copy, without a further call of the sender.
//
// As long as sends are ahead there is no short way: an attempt at zero copy behind them would be asked too seldom.
//
// A send whose call waits is patient: it first waits as long as a wait looks before it sleeps, since most receivers
// come soon. It is not if others to the peer are ahead already.

// runAhead offers a copy of a send that is in no list, and completes the send. It returns false if the peer's ring is
// full.
func (e *Engine) runAhead(op *operation) bool {
	copied := e.newOperation(sending, op.context, int(op.Peer), int(op.Tag))
	copied.request, copied.mark, copied.buf.Of = 0, op.mark, op.buf.Of
	copied.buf.Bytes = e.spares.Take(op.buf.Len())
	op.buf.Pack(copied.buf.Bytes, 0)
	t, ok := e.to(int(op.Peer)).Offer(int(op.Peer), e.head(op.context, op.Tag, op.mark), &copied.buf)
	if !ok {
		e.spares.Keep(copied.buf.Bytes)
		e.discard(copied)
		return false
	}
	if e.trace != nil {
		e.traceSent(op)
	}
	copied.offered, copied.left, copied.ahead = true, true, true
	e.ahead.Take(copied.buf.Len())
	e.updateFastPath()
	e.move(copied, t)
	e.complete(op, nil)
	return true
}

// arrived notes that a send that was ahead is complete.
func (e *Engine) arrived(op *operation) {
	op.ahead = false
	e.spares.Keep(op.buf.Bytes)
	if e.ahead.Give(op.buf.Len()); !e.ahead.Used() {
		e.updateFastPath()
	}
}
