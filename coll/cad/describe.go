package cad

import (
	"strings"

	"github.com/gopvas/gopvas/job"
)

// Describe implements pml.Describer.
//
// In one address space a graph needs its peers to issue theirs: whoever is at hand does
// the rest. So it names those that have not. If all have, one of them waits for others,
// and these are named in its place, as far as they are members. Between processes nothing
// is known of peers but that their messages have not come.
func (r *run) Describe(w *job.Waiting) {
	w.Op = job.OpCollective
	c := &w.Collective
	*c = job.Collective{Name: r.name(), Number: uint64(r.number), Need: job.NeedSome}
	if r.channel.Name != nil {
		c.Communicator = r.channel.Name()
	}
	if !r.e.direct {
		if r.missLetters(c); r.graph.Blocking {
			c.Need = job.NeedPeers
		}
		return
	}
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

// name is what the graph stands for, without lengths.
func (r *run) name() string {
	if r.e.options.Describe == nil || r.graph.Signature == 0 {
		return "graph"
	}
	name, _, _ := strings.Cut(r.e.options.Describe(r.graph.Signature), " of ")
	name, _, _ = strings.Cut(name, ",")
	return name
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

// missLetters names the ranks whose messages have not come, or that have not taken ours.
func (r *run) missLetters(c *job.Collective) {
	named := map[uint32]bool{}
	for i := range r.mail.active {
		if rank := pairOf(r.mail.active[i].n.arg).rank; !named[rank] {
			named[rank] = true
			c.Miss(int(rank))
		}
	}
}
