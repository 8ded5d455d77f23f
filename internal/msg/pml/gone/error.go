package gone

import (
	"errors"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/pml/match"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Error returns a *LostError if nothing can come from, or get to, this peer,
// which may be match.AnySource, in a context.
func (r *Ranks) Error(context uint32, peer int32) error {
	if r.dead == nil && r.revoked == nil {
		return nil
	}
	if r.revoked[context] {
		return fault.ErrRevoked
	}
	return r.Cause(context, r.loss(context, peer))
}

// Cause returns the error of what a loss ends in a context: a rank may have revoked the context before it has gone.
// Other errors stay.
func (r *Ranks) Cause(context uint32, err error) error {
	if _, lost := errors.AsType[*fault.LostError](err); lost {
		if r.hear(); r.revoked[context] {
			return fault.ErrRevoked
		}
	}
	return err
}

// loss is Error if the context was not revoked.
func (r *Ranks) loss(context uint32, peer int32) error {
	if r.dead == nil {
		return nil
	}
	rank := int(peer)
	if peer == match.AnySource {
		circle := r.circles.of(context)
		switch rank = r.lost; {
		case circle != nil && r.survive:
			if r.look(circle); circle.failed >= 0 {
				return nil // see Pending
			}
			rank = circle.deserted
		case circle != nil:
			rank = r.missing(circle.ranks)
		case rank >= 0:
		case r.deserted():
			if rank = r.job.World(r.rank).First; rank == r.rank {
				rank++
			}
		}
	} else if peer < 0 || !r.dead[peer] {
		return nil
	}
	if rank < 0 {
		return nil
	}
	return &fault.LostError{Rank: rank, Of: r.job.OtherJob(rank)}
}

// Pending returns a *PendingError if a receive from match.AnySource goes on in a context though a rank of its circle
// has failed: a wait for it ends. It does so in jobs that survive, until the failure is acknowledged.
func (r *Ranks) Pending(context uint32, peer int32) error {
	if r.dead == nil || peer != match.AnySource || !r.survive || r.revoked[context] {
		return nil
	}
	circle := r.circles.of(context)
	if circle == nil {
		return nil
	}
	if r.look(circle); circle.failed < 0 {
		return nil
	}
	if r.hear(); r.revoked[context] {
		return nil
	}
	return &fault.PendingError{Lost: fault.LostError{Rank: circle.failed, Of: r.job.OtherJob(circle.failed)}}
}

// Failure returns the error of a probe, or of a receive that blocks, which cannot go on: as Error, or a *LostError
// instead of Pending's.
func (r *Ranks) Failure(context uint32, peer int32) error {
	if r.dead == nil && r.revoked == nil {
		return nil
	}
	if err, ok := r.Pending(context, peer).(*fault.PendingError); ok { //nolint:errorlint // it is not wrapped
		return &err.Lost
	}
	return r.Error(context, peer)
}

// Revocations has read called for the contexts that were revoked since its last call. What waits there fails with
// ErrRevoked from then on. It is called before r is used.
func (r *Ranks) Revocations(read func() (contexts []uint32)) { r.read = read }

// hear reads which contexts were revoked.
func (r *Ranks) hear() {
	if r.read == nil {
		return
	}
	for _, context := range r.read() {
		if r.revoked == nil {
			r.revoked = map[uint32]bool{}
		}
		r.revoked[context] = true
		r.recent = append(r.recent, context)
	}
}

// NewlyRevoked returns the contexts that were revoked since its last call. It is called after Look, since Events grows
// when a revocation is there. The caller ends what waits there.
func (r *Ranks) NewlyRevoked() []uint32 {
	r.hear()
	contexts := r.recent
	r.recent = nil
	return contexts
}

// Revoked tells whether a context was revoked.
func (r *Ranks) Revoked(context uint32) bool { return r.revoked != nil && r.revoked[context] }

// Acknowledge has the failures of some ranks fail nothing any more from match.AnySource in a context, if they are more
// than those that were acknowledged before, which they begin with. It returns how many are.
func (r *Ranks) Acknowledge(context uint32, failed []int32) int {
	circle := r.circles.of(context)
	if circle == nil {
		return 0
	}
	if len(failed) > len(circle.acknowledged) {
		circle.acknowledged, circle.looks = failed, 0
	}
	return len(circle.acknowledged)
}

// look finds out what is known of a circle, unless nothing has changed.
func (r *Ranks) look(c *circle) {
	if c.looks == r.looks {
		return
	}
	c.looks, c.failed, c.deserted = r.looks, -1, -1
	left := 0
	for _, member := range c.ranks {
		rank := int(member)
		switch {
		case rank == r.rank:
		case !r.dead[rank]:
			left++
		case c.failed < 0 && r.job.State(rank) != job.StateFinal && !slices.Contains(c.acknowledged, member):
			c.failed = rank
		default:
			c.deserted = rank
		}
	}
	if left > 0 {
		c.deserted = -1
	}
}

// deserted tells whether all other ranks of this one's world are dead.
func (r *Ranks) deserted() bool {
	return r.here > 0 && r.here == r.job.World(r.rank).Size-1
}

// Visited tells whether ranks of other jobs may send in a context.
func (r *Ranks) Visited(context uint32) bool {
	circle := r.circles.of(context)
	return circle != nil && (len(circle.ranks) == 0 || r.visits(circle.ranks))
}

// visits tells whether ranks of a circle are of other jobs.
func (r *Ranks) visits(circle []int32) bool {
	return slices.ContainsFunc(circle, func(rank int32) bool { return r.job.Visits(int(rank)) })
}

// missing returns a rank of a circle that went without Finalize. If all others are dead it returns one of them, but not
// if this rank is in the circle and no other job is: it may send to itself, and the proof of a deadlock finds a wait
// without end. Otherwise it returns -1.
func (r *Ranks) missing(circle []int32) (first int) {
	first, left, itself := -1, 0, false
	for _, member := range circle {
		rank := int(member)
		switch {
		case rank == r.rank:
			itself = true
		case !r.dead[rank]:
			left++
		case r.job.State(rank) != job.StateFinal:
			return rank
		default:
			first = rank
		}
	}
	if left > 0 || itself && !r.visits(circle) {
		return -1
	}
	return first
}
