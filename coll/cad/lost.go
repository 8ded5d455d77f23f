package cad

import (
	"slices"

	"github.com/gopvas/gopvas/job"
)

// Ranks that go. A graph needs all members of its channel until they are through with
// their own graphs of the same number, though others may do their work: data of a rank
// that was killed is not to be trusted. And it needs every rank of the address space not to have
// died in the middle of executing: what that was is not known.

// ended returns why the graph will never be complete, if so.
func (r *run) ended() Failure {
	if b := &r.record.broken; b.Fault() != 0 {
		if b.told.Load() == 0 && r.e.messages.GoneCount() == 0 {
			return Failure{} // the rank that is about to tell wakes this one
		}
		return b.Failure()
	}
	if n := r.e.messages.GoneCount(); n != r.gone {
		r.gone = n
		return r.lost()
	}
	return Failure{}
}

// noteDead returns the ranks that have gone. e.mu is held.
func (e *Engine) noteDead() []int {
	if len(e.dead) == e.messages.GoneCount() {
		return e.dead
	}
	for rank := range e.size {
		if e.job.Gone(rank) && !slices.Contains(e.dead, rank) {
			e.dead = append(e.dead, rank)
		}
	}
	return e.dead
}

// lost looks for a rank that the graph can not do without: if there are several for the
// one that went first, since others often go only because of it.
func (r *run) lost() Failure {
	e := r.e
	e.mu.Lock()
	dead := e.noteDead()
	e.mu.Unlock()
	first, _ := e.job.Lost()
	found := -1
	for i, rank := range dead {
		inTheMiddle := i >= r.before && e.beside(rank) && e.job.Share(rank).Executing.Load() != 0
		if (inTheMiddle || r.channel.member(rank) >= 0 && !r.through(rank)) && (found < 0 || rank == first) {
			found = rank
		}
	}
	if found < 0 {
		return r.unmet()
	}
	return About(Lost, found)
}

// through tells whether a rank that has gone had finished its part: it ended well, and the graph that it
// had issued was complete.
func (r *run) through(rank int) bool {
	return r.e.job.State(rank) == job.StateFinal && r.completed(rank)
}

// completed tells whether a rank has issued its graph of this number, and it is complete. A graph that is
// not found any more, though it was issued, is complete: a rank stores the place of a graph before it counts
// it, and takes it away when it is complete.
//
// A rank that has called Finalize has forgotten the channel, and former says how many graphs it had issued. Of
// a rank that goes on, former may count the graphs of an earlier channel with the context: it has not
// issued any on this one yet.
func (r *run) completed(rank int) bool {
	rec := r.e.find(rank, r.channel.Context)
	if rec == nil {
		return false
	}
	issued := rec.issued.Load()
	if issued == 0 && r.e.job.State(rank) == job.StateFinal {
		issued = rec.former.Load()
	}
	if int32(issued-r.number) <= 0 {
		return false
	}
	g, issue := r.e.lookup(uint32(rank), r.channel.Context, r.number)
	return g == nil || g.done.Load() == issue
}

// unmet returns what is wrong if a member's graph of this number is complete, and this graph has a SEND or
// RECV for it that has not met one. It never will, since the other graph had none. Both nodes of a pair are
// over before either of their graphs is complete: so the other graph is looked at first, and then the node.
func (r *run) unmet() Failure {
	m := r.image
	if r.queued {
		return Failure{}
	}
	for i := range uint32(m.peers) {
		at := uint32(m.count) + i*peerWords
		rank, first, count := int(word(m.aux, at).Load()>>1), word(m.aux, at+1).Load(), word(m.aux, at+2).Load()
		if !r.completed(rank) {
			continue
		}
		for place := first; place < first+count; place++ {
			if m.node(place).state.Load() != over.of(r.issue) {
				return Failure{Fault: Pairs | Fault(r.e.rank)<<16 | Fault(rank)}
			}
		}
	}
	return Failure{}
}
