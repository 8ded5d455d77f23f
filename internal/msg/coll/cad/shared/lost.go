package shared

import (
	"slices"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Ranks that have gone, and nodes that nothing will meet.
//
// A graph needs each member of its channel until the member's graph of the same number is complete, even if other ranks
// execute the nodes of that: the data of a rank that was killed cannot be trusted. A graph fails, too, if any rank of
// the address space has died while it executed nodes: which nodes these were is not known.

// ended returns why the graph will never be complete, if so.
func (r *run) ended() cad.Failure {
	if b := &r.record.broken; b.Fault() != 0 {
		if b.Told.Load() == 0 && r.e.messages.Events() == 0 {
			return cad.Failure{} // the rank that is about to tell wakes this one
		}
		return r.notRevoked(b.Failure())
	}
	if r.channel.Revoked.Heard() {
		return cad.About(cad.Revoked, r.e.rank)
	}
	n := r.e.messages.Events()
	news := n != r.gone
	if news {
		r.gone = n
		if f := r.lost(); f.Fault != 0 {
			return r.notRevoked(f)
		}
	}
	if news && !r.queued { // of a rank that has ended, former tells what it issued on a channel that it forgot
		r.passOver()
	}
	if r.lasting {
		r.expect()
	}
	return cad.Failure{}
}

// notRevoked is a failure, but instead of a loss on a channel that was revoked it is that.
func (r *run) notRevoked(f cad.Failure) cad.Failure {
	if f.Kind() == cad.Lost && r.channel.Revoked.Stands() {
		return cad.About(cad.Revoked, r.e.rank)
	}
	return f
}

// noteDead returns the ranks that have gone. e.mu is held.
func (e *Engine) noteDead() []int {
	n := e.messages.Events() // before the look: who goes meanwhile is found now, or at the next one
	if n == e.deadAt {
		return e.dead
	}
	e.deadAt = n
	for rank := range e.job.Ranks() {
		if e.job.Gone(rank) && !slices.Contains(e.dead, rank) {
			e.dead = append(e.dead, rank)
		}
	}
	return e.dead
}

// lost looks for a rank that has gone and that the graph needs. Of several it names the one that went first: others
// often go only because of that.
func (r *run) lost() cad.Failure {
	e := r.e
	e.mu.Lock()
	dead := e.noteDead()
	e.mu.Unlock()
	first, _ := e.job.Lost()
	found := -1
	for i, rank := range dead {
		inTheMiddle := i >= r.before && e.beside(rank) && e.job.Share(rank).Executing.Load() != 0
		if (inTheMiddle || r.channel.MemberOf(rank) >= 0 && !r.through(rank)) && (found < 0 || rank == first) {
			found = rank
		}
	}
	if found < 0 {
		return cad.Failure{}
	}
	return cad.About(cad.Lost, found)
}

// lostPeer is lost for the ranks that the graph communicates with.
func (r *run) lostPeer() cad.Failure {
	for i := range uint32(r.image.peers) {
		if rank := r.image.peer(i); r.e.job.Gone(rank) && !r.through(rank) {
			return cad.About(cad.Lost, rank)
		}
	}
	return cad.Failure{}
}

// peer returns a rank that the graph communicates with. It is there for each direction.
func (m *image) peer(i uint32) int { return int(word(m.aux, uint32(m.count)+i*peerWords).Load() >> 1) }

// through tells whether a rank that has gone had finished its part: it ended well, and the graph that it
// had issued was complete.
func (r *run) through(rank int) bool {
	return r.e.job.State(rank) == job.StateFinal && r.completed(rank)
}

// completed tells whether a rank has issued its graph of this number, and that graph is complete. A graph that was
// issued and is not found is complete: a rank stores the place of a graph before it counts the graph, and clears the
// place only when the graph is complete.
//
// If issued is 0 the rank has forgotten the channel, or has issued nothing on it yet. A rank that has called Finalize
// has forgotten it: former is the number of graphs that it had issued. Of any other rank former may belong to an
// earlier channel of the context.
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

// expect is passOver for a graph that has lasted for long, and asks to be told when there may be more to pass over: a
// peer whose graph has no node for this one is not told of this one, and would end its graph in silence.
//
// No end of a peer's graph is missed. This rank sets its bit in the record of the peer, and then looks for the peer's
// graph. The peer makes its graph complete, and then looks for bits (see close): so one of the two finds the other. If
// the peer has no record yet, this rank has noted in its own that it expects one. The peer makes its record known, and
// then looks at the records of others (see Engine.record).
//
// A peer that tells takes all bits, whatever number its graph has. So a rank that was told sets them again.
func (r *run) expect() {
	told := r.record.told.Load()
	if r.expected && told == r.told {
		return
	}
	r.expected, r.told = true, told
	r.record.expecting.Store(1)
	m := r.image
	for i := range uint32(m.peers) {
		rank := m.peer(i)
		if rec := r.e.find(rank, r.channel.Context); rec != nil && !r.completed(rank) {
			setBit(&rec.awaited, r.e.rank%64)
		}
	}
	r.passOver()
}

// tellExpecting tells the members that wait for a graph of this rank that one is complete.
func (r *run) tellExpecting() {
	if r.record.awaited.Load() == 0 {
		return
	}
	bits := r.record.awaited.Swap(0)
	for member := range r.channel.Size {
		rank := r.channel.RankOf(member)
		if bits>>(rank%64)&1 == 0 {
			continue
		}
		if rec := r.e.find(rank, r.channel.Context); rec != nil {
			rec.told.Add(1)
			r.e.job.Inbox(rank).Notify()
		}
	}
}

// Lasts implements pml.Patient. From now on the graph looks for what will never meet it.
func (r *run) Lasts() { r.lasting = r.lasting || !r.queued }

// passOver ends the SEND and RECV nodes that will never meet a node: the graph of the peer, of the same number, is
// complete, and had no node for them. Where it had one for others of them, they have ended before: see passExcess.
//
// The two nodes of a pair are over before either graph is complete. So passOver reads the state of the peer's graph
// first and that of the node second.
func (r *run) passOver() {
	m, x := r.image, r.e.enter(false)
	for i := range uint32(m.peers) {
		at := uint32(m.count) + i*peerWords
		rank, first, count := m.peer(i), word(m.aux, at+1).Load(), word(m.aux, at+2).Load()
		if r.completed(rank) {
			x.passOver(found{m.node(first), r.issue, r.shared}, 0, count, cad.AboutTwo(cad.Pairs, rank, r.e.rank))
		}
	}
	x.drain()
	x.leave()
}
