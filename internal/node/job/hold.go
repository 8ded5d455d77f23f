package job

import (
	"context"
	"fmt"

	"github.com/gopvas/gopvas/mpi/fault"
)

// Hold is a point in the life of a rank. In a job created with Config.Hold the rank
// stops there until the supervisor lets all go on. Page tables are measured there:
// the paper stops every task right before it ends.
type Hold int

const (
	HoldInit     Hold = iota // at the end of mpi.Init
	HoldFinalize             // at the start of mpi.Finalize
	holdCount
)

// String returns the name of the call at which the rank stops.
func (h Hold) String() string { return nameOf(h, "init", "finalize") }

func (h Hold) check() error {
	if h < 0 || h >= holdCount {
		return fmt.Errorf("job: hold point %d does not exist", int(h))
	}
	return nil
}

// The protocol of a hold point: every rank adds itself to reached and signals
// reachedEvent, on which the supervisor sleeps; the supervisor sets released and
// signals releasedEvent, on which the ranks sleep. Each side also stops waiting
// once any rank has gone: no rank can have got past the point by itself, so that
// one died before it or at it. A rank that is killed between its addition and its
// signal is signalled for by MarkGone.
//
// The supervisor of each node of a job on several holds the ranks of its node. Those of other
// nodes may end meanwhile.

// Reach is called by a rank when it gets to the hold point, once. It blocks until
// Release. If a rank has gone before that, it returns a *LostError (wrapped), or nil at
// HoldFinalize in a job that survives: then nothing is measured there. In a
// job without hold points it returns nil at once, and only counts the rank for AwaitInit.
func (r *Root) Reach(h Hold) error {
	if err := h.check(); err != nil {
		return err
	}
	p := &r.head.holds[h]
	p.reached.Add(1)
	p.reachedEvent.Signal()
	if !r.Holding() {
		return nil
	}
	err := p.releasedEvent.Wait(func() bool {
		return p.released.Load() != 0 || r.lostHere() >= 0
	})
	if err != nil {
		return fmt.Errorf("job: hold at %v: %w", h, err)
	}
	// Released first: a rank that runs ahead from here may be gone already.
	if p.released.Load() != 0 || h == HoldFinalize && Survives(r) {
		return nil
	}
	return fmt.Errorf("job: hold at %v: %w", h, &fault.LostError{Rank: r.lostHere()})
}

// lostHere returns a rank of this node that has gone, the first of the job if it is here; -1: none
// has.
func (r *Root) lostHere() int {
	lost, ok := r.Lost()
	if !ok || r.Node(lost) == r.Here() {
		return lost
	}
	for rank := range r.Ranks() {
		if r.ranks[rank].gone.Load() != 0 && r.Node(rank) == r.Here() {
			return rank
		}
	}
	return -1
}

// AwaitHold is called by the supervisor. It returns nil when all ranks of its node stand at the
// hold point, and a *LostError (wrapped) as soon as a rank has gone. If the context
// ends first it returns the context's error. It blocks until one of these.
func (r *Root) AwaitHold(ctx context.Context, h Hold) error {
	if err := h.check(); err != nil {
		return err
	}
	return awaitReached(ctx, r, h, r.Near())
}

// AwaitInit is called by the supervisor, in a job with hold points or without. It returns as AwaitHold does, but when
// so many ranks of the node have come to the end of Init.
func AwaitInit(ctx context.Context, r *Root, ranks int) error {
	return awaitReached(ctx, r, HoldInit, ranks)
}

func awaitReached(ctx context.Context, r *Root, h Hold, ranks int) error {
	p := &r.head.holds[h]
	defer p.reachedEvent.SignalWhenDone(ctx)()
	err := p.reachedEvent.Wait(func() bool {
		return int(p.reached.Load()) >= ranks || r.lostHere() >= 0 || ctx.Err() != nil
	})
	if err != nil {
		return fmt.Errorf("job: await hold at %v: %w", h, err)
	}
	if lost := r.lostHere(); lost >= 0 {
		return fmt.Errorf("job: await hold at %v: %w", h, &fault.LostError{Rank: lost})
	}
	if int(p.reached.Load()) >= ranks {
		return nil
	}
	return fmt.Errorf("job: await hold at %v: %w", h, ctx.Err())
}

// Release lets every rank go on from the hold point, those that get there later
// too. Only the supervisor calls it. It does not block.
func (r *Root) Release(h Hold) {
	if h.check() == nil {
		r.head.holds[h].released.Store(1)
		r.head.holds[h].releasedEvent.Signal()
	}
}
