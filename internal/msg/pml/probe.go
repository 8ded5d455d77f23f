package pml

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/trace"
)

// Probe returns the status of the message that Recv with the same arguments would
// find, and leaves it where it is. It blocks until there is something. With several goroutines that receive
// from the same source another may get the message first: use Mprobe. Errors are
// those of Recv.
func (e *Engine) Probe(of uint32, src, tag int) (Status, error) {
	_, st, err := e.await(context.Background(), probing, of, src, tag)
	return st, err
}

// ProbeUnder is Probe that gives up when ctx is done.
func (e *Engine) ProbeUnder(ctx context.Context, of uint32, src, tag int) (Status, error) {
	_, st, err := e.await(ctx, probing, of, src, tag)
	return st, err
}

// Mprobe is Probe that takes the message out of the matching: only Mrecv can
// receive it. It must be received.
func (e *Engine) Mprobe(of uint32, src, tag int) (Message, Status, error) {
	return e.await(context.Background(), picking, of, src, tag)
}

// MprobeUnder is Mprobe that gives up when ctx is done.
func (e *Engine) MprobeUnder(ctx context.Context, of uint32, src, tag int) (Message, Status, error) {
	return e.await(ctx, picking, of, src, tag)
}

// Iprobe is Probe that does not block: ok tells whether there is something.
func (e *Engine) Iprobe(context uint32, src, tag int) (st Status, ok bool, err error) {
	_, st, ok, err = e.look(probing, context, src, tag)
	return st, ok, err
}

// Improbe is Mprobe that does not block: ok tells whether there is something.
func (e *Engine) Improbe(context uint32, src, tag int) (m Message, st Status, ok bool, err error) {
	return e.look(picking, context, src, tag)
}

// await is a probe that blocks, until ctx is done.
func (e *Engine) await(ctx context.Context, k kind, of uint32, src, tag int) (m Message, st Status, err error) {
	e.threads.lock()
	defer e.threads.unlock()
	if err := e.p.checkSource(src, tag); err != nil {
		return Message{}, noStatus, err
	}
	c := e.p.trace.begin(trace.Probe, -1)
	defer func() {
		if err == nil {
			e.p.trace.endProbe(c, of, st)
		}
	}()
	// As long as there is something, matching tells it without an operation.
	if m, st, ok := e.p.search(k, of, src, tag); ok {
		return m, st, nil
	}
	if err := e.p.gone.Failure(of, int32(src)); err != nil {
		return Message{}, noStatus, err
	}
	op := e.p.await(k, of, src, tag)
	if err := waitUnder(ctx, e, op); err != nil {
		e.p.giveUp(op)
		return Message{}, noStatus, err
	}
	st, err = op.status, op.err
	if msg := op.message; msg != nil {
		m = Message{msg: msg, generation: msg.generation}
	}
	e.p.release(op)
	return m, st, err
}

// AwaitMessage waits until a probe would find a message, or an error, or a time is over. It returns whether a probe
// would find something. See NewCondition for say, which says that another goroutine can end the wait.
func (e *Engine) AwaitMessage(context uint32, src, tag int, within time.Duration,
	say func() job.Waiting) (bool, error) {
	if err := MayWait(); err != nil {
		return false, err
	}
	var late atomic.Bool
	found := false
	c := e.NewCondition(func() bool {
		found = e.p.finds(context, src, tag)
		return found || late.Load()
	}, say)
	c.of.Inside = true
	timer := time.AfterFunc(within, func() { // beside one thread, too: it takes no lock
		late.Store(true)
		e.p.routes.First.Wake()
	})
	defer timer.Stop()
	err := c.Wait()
	return found, err
}

// polls are the names of probes that do not block.
var polls = [...]string{probing: "iprobe", picking: "improbe"}

// look is a probe that does not block.
func (e *Engine) look(k kind, context uint32, src, tag int) (m Message, st Status, ok bool, err error) {
	e.threads.lock()
	if err = e.p.checkSource(src, tag); err != nil {
		e.threads.unlock()
		return Message{}, noStatus, false, err
	}
	c := e.p.trace.begin(trace.Probe, -1)
	if m, st, ok = e.p.search(k, context, src, tag); !ok {
		e.progress()
		m, st, ok = e.p.search(k, context, src, tag)
	}
	if ok {
		e.p.trace.endProbe(c, context, st)
	} else {
		if err = e.p.gone.Failure(context, int32(src)); err == nil {
			err = MayWait()
		}
		if e.report.notice.PollsDue() {
			e.report.setPolls(polls[k], job.Operation{Op: job.OpProbe, Peer: int32(src), Tag: int32(tag)}, nil)
		}
	}
	e.threads.unlock()
	if !ok {
		e.waits.Yield()
	}
	return m, st, ok, err
}

// Mrecv receives a message that Mprobe has taken. It blocks until the bytes are
// there, for which it needs nothing but that the sender lives. The message becomes
// the zero Message, which cannot be received: ErrNoMessage.
func (e *Engine) Mrecv(m *Message, buf btl.Buffer) (Status, error) {
	e.threads.lock()
	defer e.threads.unlock()
	c := e.p.trace.begin(trace.Recv, -1)
	op, err := e.p.receiveMatched(m, buf)
	if err != nil {
		e.p.trace.end(c, nil, err)
		return noStatus, err
	}
	return e.finish(op, c)
}

// Imrecv is Mrecv that does not wait. buf must not be read or
// written until the request is complete.
func (e *Engine) Imrecv(m *Message, buf btl.Buffer) (Request, error) {
	e.threads.lock()
	defer e.threads.unlock()
	c := e.p.trace.begin(trace.Irecv, -1)
	op, err := e.p.receiveMatched(m, buf)
	e.p.trace.end(c, op, err)
	return request(op, err)
}
