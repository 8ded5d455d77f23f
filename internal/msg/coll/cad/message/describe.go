package message

import "github.com/gopvas/gopvas/internal/node/job"

// Describe implements pml.Task, for graphs by messages: the graph needs the ranks whose
// messages have not come, or that have not taken its own. A peer that waits elsewhere still
// does its part of a graph that does not block. But in a call that blocks, a peer that
// cannot go on does nothing more: if none of the ranks can, the graph cannot either.
func (r *run) Describe(w *job.Waiting) {
	call := r.call
	if r.step() || r.guarded && !r.begun { // its number is not known yet
		call = 0
	}
	r.channel.Describe(w, r.graph, r.number, call)
	c := &w.Collective
	if r.graph.Blocking {
		c.Need = job.NeedAny
	}
	if r.t.named == nil {
		r.t.named = make([]bool, r.t.Job.Places())
	}
	waits := r
	if first := r.state.guard; first != nil && !r.begun {
		waits = first // to begin
	}
	for i := range waits.active {
		if rank := waits.actions[waits.active[i].n].peer; !r.t.named[rank] {
			r.t.named[rank] = true
			c.Miss(int(rank))
		}
	}
	clear(r.t.named)
}

// step tells whether the graph is a part of a call: several channels may have its context, so that
// the number does not tell which one it is of.
func (r *run) step() bool { return r.t.Failed != nil }
