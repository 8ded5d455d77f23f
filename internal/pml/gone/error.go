package gone

import (
	"slices"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/pml/match"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Error returns a *LostError if nothing can come from, or get to, this peer,
// which may be match.AnySource, in a context.
func (r *Ranks) Error(context uint32, peer int32) error {
	if r.dead == nil {
		return nil
	}
	return r.errorFor(context, peer)
}

// errorFor is Error if ranks have gone.
func (r *Ranks) errorFor(context uint32, peer int32) error {
	rank := int(peer)
	if peer == match.AnySource {
		circle, known := r.circles.of(context)
		switch rank = r.lost; {
		case known:
			rank = r.missing(circle)
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

// deserted tells whether all other ranks of this one's world are dead.
func (r *Ranks) deserted() bool {
	return r.here > 0 && r.here == r.job.World(r.rank).Size-1
}

// Visited tells whether ranks of other jobs may send in a context.
func (r *Ranks) Visited(context uint32) bool {
	circle, known := r.circles.of(context)
	return r.visits(circle) || known && len(circle) == 0
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
