package comm

import (
	"context"
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// bound is what makes a Comm a view of another one: calls that block end when a context does. A view is in a state in
// which no call takes the shortest way, and is refused by all calls that do not know of views. So the calls of a
// communicator that is none look at nothing more.
//
//   - A receive or a probe is cancelled, unless its message has come: no message is lost.
//   - A send that is underway goes on by itself. Its buffer stays in use.
//   - A collective operation goes on in a goroutine of its own. Other members are, or will be, in it, while this rank
//     is not: so the communicator is of no more use to this rank. In a job that survives it is revoked, so that they
//     hear of it, and the goroutine ends. Else it ends when they have come, or by Finalize, which waits for it. Calls
//     that begin later end by the state of the communicator, which the interrupted call sets before it leaves the
//     communicator.
type bound struct {
	of  *Comm
	ctx context.Context
}

// With returns a view of c, or of what c is a view of. It is c itself if that is none and ctx never ends.
func With(ctx context.Context, c *Comm) *Comm {
	if isView(c) {
		c = c.bound.of
	}
	if c.made() != nil || ctx == nil || ctx.Done() == nil {
		return c
	}
	v := &Comm{process: c.process, membership: c.membership, engine: c.engine,
		channel: c.channel, team: c.team, context: c.context, rank: c.rank, size: c.size, synchronous: c.synchronous,
		linked: c.linked, apart: c.apart, session: c.session, bound: &bound{c, ctx}}
	v.topology = c.topology
	v.name.Store(c.name.Load())
	v.state.Store(viewed)
	return v
}

func isView(c *Comm) bool { return c != nil && c.bound != nil }

// ended is why no call may begin any more; nil: it may.
func (b *bound) ended() error {
	if b.ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("the context has ended: %w", context.Cause(b.ctx))
}

func (b *bound) to(rank int) (int, error) {
	if err := b.ended(); err != nil {
		return rank, err
	}
	return b.of.to(rank)
}

func (b *bound) from(rank int) (int, error) {
	if err := b.ended(); err != nil {
		return rank, err
	}
	return b.of.from(rank)
}

// finish waits for the operation of a call, which leaves no request behind.
func (b *bound) finish(r pml.Request, err error) (pml.Status, error) {
	if err != nil {
		return pml.Status{}, err
	}
	st, err := r.WaitContext(b.ctx)
	if err == nil || !r.Active() {
		return st, err
	}
	if r.Cancel() != nil { // it is a send
		r.Leave()
		return st, err
	}
	if got, late := r.Wait(); !got.Cancelled {
		return got, late
	}
	if pending, ok := errors.AsType[*fault.PendingError](err); ok {
		err = &pending.Lost
	}
	return st, err
}

// collective does a collective operation. run waits for others.
func (b *bound) collective(op string, run func(t *coll.Team) error) error {
	c := b.of
	if err := b.ended(); err != nil {
		return Wrap(op, err)
	}
	if err := c.enter(op); err != nil {
		return Wrap(op, err)
	}
	unbind, over := pml.Bound(c.engine), make(chan error, 1)
	c.contexts.standIns.Go(func() {
		err := run(c.team)
		standInOwed(c)
		unbind()
		over <- err
	})
	var err error
	select {
	case err = <-over:
		err = Bare(err)
	case <-b.ctx.Done():
		select {
		case err = <-over: // both have come
			err = Bare(err)
		default:
			err = b.interrupt()
		}
	}
	err = Wrap(op, err)
	leave(c, op, &err)
	return err
}

// interrupt gives up a collective operation, and with it the communicator.
func (b *bound) interrupt() error {
	if job.Survives(b.of.root) {
		_ = Revoke(b.of) // an error: others hear of nothing
	}
	for _, usable := range [...]uint32{ready, plain} {
		b.of.state.CompareAndSwap(usable, interrupted)
	}
	r := &b.of.revocable
	r.mu.Lock()
	r.stranded = append(r.stranded, b.of)
	r.mu.Unlock()
	return fmt.Errorf("interrupted, %w", b.ended())
}

// endStranded ends the collective operations that were interrupted, at this rank alone: as by a revocation.
func (p *process) endStranded() {
	r := &p.revocable
	r.mu.Lock()
	stranded := r.stranded
	r.stranded = nil
	for _, c := range stranded {
		c.revoked.Hear()
		r.late = append(r.late, idOf(c.context))
	}
	r.mu.Unlock()
	if stranded != nil {
		job.Again(p.root, p.number)
	}
}
