package shared

import "github.com/gopvas/gopvas/internal/node/job"

// Describe implements pml.Task, for graphs in one address space.
//
// The graph needs its peers to issue theirs: any executor does the rest. So it names
// those that have not. If all have, one of them waits for others, and these are named in
// its place, as far as they are members.
func (r *run) Describe(w *job.Waiting) {
	r.channel.Describe(w, r.graph, r.number, r.graph.Signature)
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
		if rank := r.channel.RankOf(member); !r.issued(rank) {
			c.Miss(rank)
		}
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
