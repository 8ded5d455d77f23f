package cad

import (
	"cmp"

	"github.com/gopvas/gopvas/internal/job"
)

// Describe implements pml.Task, for graphs in one address space.
//
// The graph needs its peers to issue theirs: any executor does the rest. So it names
// those that have not. If all have, one of them waits for others, and these are named in
// its place, as far as they are members.
func (r *run) Describe(w *job.Waiting) {
	describe(w, r.channel, r.graph.Name, r.number, r.graph.Signature, r.graph.Agreed)
	if r.queued {
		return
	}
	c := &w.Collective
	if r.graph.NeedsAll {
		c.Need = job.NeedAllIssue
	} else if r.missPeers(c); c.Missing > 0 {
		c.Need = job.NeedIssue
		return
	}
	for member := range r.channel.Size {
		if rank := r.channel.world(member); !r.issued(rank) {
			c.Miss(rank)
		}
	}
}

// Describe implements pml.Task, for graphs by messages: the graph needs the ranks whose
// messages have not come, or that have not taken its own. A peer that waits elsewhere still
// does its part of a graph that does not block. But in a call that blocks, a peer that can
// not go on does nothing more: if none of the ranks can, the graph can not either.
func (r *messageRun) Describe(w *job.Waiting) {
	call := r.call
	if r.step() || r.guarded && !r.begun { // its number is not known yet
		call = 0
	}
	describe(w, r.channel, r.graph.Name, r.number, call, r.graph.Agreed)
	c := &w.Collective
	if r.graph.Blocking {
		c.Need = job.NeedAny
	}
	if r.t.named == nil {
		r.t.named = make([]bool, r.t.Job.Ranks())
	}
	waits := r
	if first := r.channel.guard; first != nil && !r.begun {
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
func (r *messageRun) step() bool { return r.t.Failed != nil }

// nameOf is the operation of a graph for messages to people.
func nameOf(name string) string { return cmp.Or(name, "graph") }

// describe says which operation of a channel it is that is waited for. agreed is zero if the operation is no part of
// another one.
func describe(w *job.Waiting, c *Channel, name string, number uint32, call uint64, agreed job.Agreed) {
	if !IsRefused(call) {
		call &^= Elements
	}
	if agreed == (job.Agreed{}) {
		agreed = job.Agree(c.Context, uint64(number), call)
	}
	w.Op = job.OpCollective
	w.Collective = job.Collective{
		Name: nameOf(name), Number: uint64(number), Call: call, Agreed: agreed, Need: job.NeedSome,
	}
	if c.Name != nil {
		w.Collective.Communicator = c.Name()
	}
}

// issued tells whether a rank has issued its graph of this number.
func (r *run) issued(rank int) bool {
	rec := r.e.find(rank, r.channel.Context)
	return rec != nil && int32(rec.issued.Load()-r.number) > 0
}

// missPeers names the ranks that this graph communicates with and that have not issued
// theirs.
func (r *run) missPeers(c *job.Collective) {
	base, last := uint32(r.image.count), -1
	for i := range uint32(r.image.peers) {
		rank := int(word(r.image.aux, base+i*peerWords).Load() >> 1)
		if rank != last && !r.issued(rank) {
			c.Miss(rank)
		}
		last = rank
	}
}
