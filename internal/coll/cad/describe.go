package cad

import (
	"cmp"
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/pml"
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
	if r.lasting = true; r.t.engine == nil {
		r.t.Job.Inbox(r.t.Rank).Notify() // has this rank look at what others say, when it has said this
	}
}

// Lasts implements pml.Patient. Between processes the graph looks only when it was described.
func (r *messageRun) Lasts() { r.lasting = r.lasting || r.t.engine != nil }

// compareIssued ends the graph if a peer has issued one of the same number for another call
// that is not executed by messages: then neither meets anything of the other. The second of the
// two calls finds the first when it has lasted for some milliseconds: by this function if it is
// the one by messages, and else by the peer, which calls this function when it is told: see run.Lasts.
func (r *messageRun) compareIssued() {
	e := r.t.engine
	if e == nil {
		r.compareSaid()
		return
	}
	for i := range r.active {
		rank := int(r.actions[r.active[i].n].peer)
		if call, ok := e.contributedTo(rank, r.channel.Context, r.number); ok {
			f := differ(r.t.Rank, r.call, rank, call)
			e.breakAt(rank, r.channel.Context, f)
			r.note(f)
			e.job.Inbox(r.t.Rank).Notify()
			return
		}
		g, issue := e.lookup(uint32(rank), r.channel.Context, r.number)
		if g == nil {
			continue
		}
		f := Between(r.t.Rank, r.call, rank, g.call.Load())
		if f.Fault != 0 && g.issue.Load() == issue {
			e.breakAt(rank, r.channel.Context, f)
			r.note(f)
			e.job.Inbox(r.t.Rank).Notify() // has this rank make progress, which ends the graph
			return
		}
	}
}

// compareSaid ends the graph if a peer says in the root block that it waits in an operation of the
// same number, which is another call. Each rank says what it waits for before it looks at what
// others say: so one of the two finds the other there.
func (r *messageRun) compareSaid() {
	if r.guarded || r.step() {
		return // if it is guarded, all find out
	}
	for i := range r.active {
		if f := r.said(int(r.actions[r.active[i].n].peer)); f.Fault != 0 {
			r.tell()
			r.note(f)
			return
		}
	}
}

// step tells whether the graph is a part of a call: several channels may have its context, so that
// the number does not tell which one it is of.
func (r *messageRun) step() bool { return r.t.Failed != nil }

// said returns what is wrong with the call that another rank says it waits in. Nothing is wrong
// if it waits in no operation of this number.
func (r *messageRun) said(rank int) Failure {
	call, ok := r.t.Job.WaitsInCall(rank, r.channel.Context, uint64(r.number))
	if !ok {
		return Failure{}
	}
	return Between(r.t.Rank, r.call, rank, call)
}

// tell sends a message to all members that wait for this rank in another call of the same number.
// Each takes it for the first one of its own call, and learns from it that the calls differ.
func (r *messageRun) tell() {
	in, c := r.t.Messages.Inside(), r.channel
	for member := range c.Size {
		rank := c.world(member)
		if r.said(rank).Fault == 0 {
			continue
		}
		if w, _ := r.t.Job.Waiting(rank); !slices.Contains(w.Collective.Ranks(), r.t.Rank) {
			continue
		}
		mark := pml.Mark{Number: r.number & (1<<markBits - 1), Word: r.call}
		if request, err := in.Isend(c.Context, rank, tagOf(r.number, 0), mark, btl.Buffer{}); err == nil {
			in.Leave(&request)
		}
	}
}

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
