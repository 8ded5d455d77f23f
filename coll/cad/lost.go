package cad

import (
	"slices"

	"github.com/gopvas/gopvas/job"
)

// Ranks that go. A graph needs all members of its channel until they are through with
// their own graphs of the same number, though others may do their work: data of a rank
// that was killed is not to be trusted. And it needs every rank of the job not to have
// died in the middle of executing: what that was is not known.

// ended returns why the graph will never be complete, if so, and which graphs of the
// channel that is about.
func (r *run) ended() (f failure, number uint32) {
	if r.record.broken.Load() != 0 {
		if r.record.told.Load() == 0 && r.e.root.GoneCount() == 0 {
			return failure{}, 0 // who is about to tell wakes this rank
		}
		return r.record.failure(), r.record.number.Load()
	}
	r.looks++
	if n := r.e.root.GoneCount(); n != r.gone {
		r.gone = n
		if f := r.lost(); f != 0 {
			return failure{fault: f}, r.number
		}
	} else if r.looks < 2 || r.looks&(r.looks-1) != 0 {
		return failure{}, 0 // it takes long with many peers
	}
	return r.deserted(), r.number
}

// noteDead returns the ranks that have gone. e.mu is held.
func (e *Engine) noteDead() []int {
	if len(e.dead) == e.root.GoneCount() {
		return e.dead
	}
	for rank := range e.root.Ranks() {
		if e.root.Gone(rank) && !slices.Contains(e.dead, rank) {
			e.dead = append(e.dead, rank)
		}
	}
	return e.dead
}

// lost looks for a rank that the graph can not do without: if there are several for the
// one that went first, since others often go only because of it.
func (r *run) lost() fault {
	e := r.e
	e.mu.Lock()
	dead := e.noteDead()
	e.mu.Unlock()
	first, _ := e.root.Lost()
	found := -1
	for i, rank := range dead {
		inTheMiddle := i >= r.before && e.direct && e.root.Share(rank).Executing.Load() != 0
		if (inTheMiddle || r.channel.has(rank) && !r.through(rank)) && (found < 0 || rank == first) {
			found = rank
		}
	}
	if found < 0 {
		return 0
	}
	return faultLost | fault(found)
}

// has tells whether a rank is a member.
func (c *Channel) has(rank int) bool {
	if c.World == nil {
		return true
	}
	return slices.Contains(c.World, int32(rank))
}

// through tells whether a rank that has gone had finished its part: it ended well, as
// it can do only when all that it has issued is complete, and it had issued this.
func (r *run) through(rank int) bool {
	if r.e.root.State(rank) != job.StateFinal {
		return false
	}
	if !r.e.direct {
		return true // messages that will not come fail by themselves
	}
	rec := r.e.find(rank, r.channel.Context)
	return rec != nil && int32(rec.issued.Load()-r.number) > 0
}
