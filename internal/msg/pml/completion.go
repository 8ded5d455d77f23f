package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml/flow"
)

// newOperation takes an operation out of the pool. The caller says what its buffer is, if
// it has one, and starts it.
func (p *protocol) newOperation(k kind, context uint32, peer, tag int) *operation {
	op := p.pool.take()
	op.kind, op.state, op.mode = k, idle, Standard
	op.context, op.Peer, op.Tag = context, int32(peer), int32(tag)
	op.mark, op.offered = Mark{}, false
	op.request, op.number = p.trace.beginning, 0
	op.status = noStatus
	return op
}

// release makes a complete operation that was waited for ready to be used again:
// by its starter, if it is persistent, else by any call.
func (p *protocol) release(op *operation) {
	switch {
	case op == sent:
	case op == &p.fast:
		op.state, op.buf, op.err = idle, btl.Buffer{}, nil
	case op.persistent:
		op.state = idle
	default:
		p.discard(op)
	}
}

// discard returns an operation to the pool and makes all its requests stale.
func (p *protocol) discard(op *operation) {
	op.persistent, op.left = false, false
	op.err, op.owner = nil, nil
	if op.kind > receiving {
		op.message = nil
		if op.task != nil {
			op.task.Release()
			op.task = nil
		}
	}
	p.drop(op)
}

// drop is discard of a message that has ended without an error, and is neither persistent nor left.
func (p *protocol) drop(op *operation) {
	op.state = free
	op.setHandle(0, p.threads.one)
	op.generation++
	op.buf.Bytes, op.buf.Of = nil, 0 // reachable no longer than MPI says
	if op.buf.Layout != nil {
		op.dropLayout()
	}
	p.pool.put(op)
}

// complete ends an operation, which is in no list any more, and tells its waiter.
func (p *protocol) complete(op *operation, err error) {
	if op.buf.Of != 0 {
		err = op.compareElements(err)
	}
	op.state = complete
	if err != nil || op.err != nil {
		op.err = err
	}
	p.completions++
	if p.trace.on() {
		p.trace.complete(op)
	}
	if w := op.waiter; w != nil {
		op.waiter = nil
		p.line.Signal(w)
	}
	if op.watched {
		p.unwatch(op)
	}
	if op.left {
		if op.ahead {
			p.arrived(op)
		}
		p.discard(op)
	}
}

// collect takes the result of a complete request.
func (p *protocol) collect(r *Request) (Status, error) {
	op := r.op
	st, err := op.status, op.err
	switch {
	case op.persistent:
		op.state = idle
	case op != sent:
		p.discard(op)
		fallthrough
	default:
		*r = Request{}
	}
	return st, err
}

// giveUp ends an operation of a call that was refused to wait for it.
func (p *protocol) giveUp(op *operation) {
	if op.state != posted {
		op.left = true
		return
	}
	p.match.In(op.context).Withdraw(&op.Receive)
	p.discard(op)
}

// start begins the send or receive of a persistent request anew.
func (p *protocol) start(op *operation) {
	op.request, op.number = p.trace.beginning, 0
	op.status, op.err = noStatus, nil
	if op.kind == sending {
		p.startSend(op, &flow.Send{})
	} else {
		p.startReceive(op)
	}
}
