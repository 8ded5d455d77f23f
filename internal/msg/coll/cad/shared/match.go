package shared

import (
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// How a SEND finds its RECV. The executor of each node stores ready in the state of its own
// node, and then looks at the state of the other. All these are atomic operations of Go, hence
// in one total order: the executor that looks last finds the other node ready, so at least one
// of them does. An executor that finds the other node ready tries to swap the RECV's state
// from ready to claimed. One succeeds, and goes on with both nodes. The other must not touch
// either node again: both graphs may be complete by then, and their memory used for others. It
// has read before what it needs. If the other graph is not there yet, or its node is not
// ready, there is nothing to do: the executor that makes that node ready will look at ours.

// found is a node of a graph, with the issue that it was found in.
type found struct {
	n     *node
	issue uint64
	g     *graph
}

// lookup finds the graph of a rank that has this number on a channel. Its memory may
// become another's at any time unless the caller knows better.
func (e *Engine) lookup(rank uint32, context, number uint32) (g *graph, issue uint64) {
	rec := e.find(int(rank), context)
	if rec == nil {
		return nil, 0
	}
	at := rec.ring[number%ringSize].Load()
	if !entryIs(at, number) {
		return nil, 0
	}
	return &e.pool(int(rank)).graphs[entrySlot(at)], entryIssue(at)
}

// ports returns the run of a graph's nodes of a kind that communicate with a rank, and its
// nodes' address. ok tells whether all of it was read while the issue was underway: after
// that the owner may give the memory away before it uses the graph's place again.
func (g *graph) ports(issue uint64, k cad.Kind, rank uint32) (p peer, nodes uint64, ok bool) {
	lengths, aux, nodes := g.lengths.Load(), g.aux.Load(), g.nodes.Load()
	if g.issue.Load() != issue {
		return p, 0, false
	}
	key := peerKey(k, rank)
	i, j := uint32(0), uint32(low(lengths))
	base := uint32(high(lengths))
	for i < j {
		m := (i + j) / 2
		if word(aux, base+m*peerWords).Load() < key {
			i = m + 1
		} else {
			j = m
		}
	}
	if i < uint32(low(lengths)) && word(aux, base+i*peerWords).Load() == key {
		p = peer{key, word(aux, base+i*peerWords+1).Load(), word(aux, base+i*peerWords+2).Load()}
	}
	if uint64(p.first)+uint64(p.count) > high(lengths) {
		p = peer{}
	}
	return p, nodes, g.done.Load() != issue && g.issue.Load() == issue
}

// meet makes a node that communicates ready, and executes both if its peer is.
func (x *executor) meet(g *graph, n *node) {
	issue, place := g.issue.Load(), g.place.Load()
	rank, kind, at := uint32(high(g.where.Load())), n.kind, pairOf(n.arg)
	if !n.state.CompareAndSwap(waiting.of(issue), ready.of(issue)) { // it is vain: see passOver
		n.state.Store(over.of(issue))
		x.pass(g, n)
		return
	}
	// From here on n is ours only if we can claim it.
	peer, peerIssue := x.e.lookup(at.rank, uint32(high(place)), uint32(low(place)))
	if peer == nil {
		return
	}
	other := cad.Send + cad.Recv - kind
	p, nodes, ok := peer.ports(peerIssue, other, rank)
	if !ok || at.port >= p.count {
		return // it is complete, and so n is; or it has no node for n: see passOver
	}
	o := nodeAt(nodes + uint64(p.first+at.port)*uint64(nodeSize))
	send, recv := found{n, issue, g}, found{o, peerIssue, peer}
	if kind == cad.Recv {
		send, recv = recv, send
		if o.state.Load() != ready.of(peerIssue) {
			return
		}
	}
	if !recv.n.state.CompareAndSwap(ready.of(recv.issue), claimed.of(recv.issue)) {
		return
	}
	x.paired(send, recv)
}

// paired goes on with a SEND and a RECV that have met.
func (x *executor) paired(send, recv found) {
	s, r := send.n, recv.n
	r.src = s.address()
	if to := pairOf(r.arg); to.port == 0 || s.size != r.size {
		compareNodes(send, recv)
		if from := pairOf(s.arg); to.port == 0 && from.ports != to.ports {
			x.passExcess(send, recv, from.ports, to.ports)
		}
	}
	x.runnable(recv.g, r)
}

// compareNodes notes what is wrong with two graphs that communicate: whether they stand for the
// same call, and whether the lengths of the nodes that have met agree.
func compareNodes(send, recv found) {
	from, to := int(high(send.g.where.Load())), int(high(recv.g.where.Load()))
	call := send.g.call.Load()
	own := recv.g.call.Load()
	if send.g.fault.Fault().Kind() == cad.Refused || recv.g.fault.Fault().Kind() == cad.Refused {
		return // one of them may not know the call, and what is wrong is known
	}
	f := cad.Between(from, call, to, own)
	for f.Fault == 0 && call&cad.Elements != 0 && own&cad.Elements == 0 { // see cad.Graph.Guarded
		if recv.g.call.CompareAndSwap(own, own|call&cad.Elements) {
			break
		}
		own = recv.g.call.Load()
		f = cad.Between(from, call, to, own)
	}
	if s, r := send.n.size, recv.n.size; f.Fault == 0 && s != r {
		f = cad.AboutTwo(cad.Length, from, to, s, r)
	}
	send.g.fault.Note(f)
	recv.g.fault.Note(f)
}

// passExcess is for the first pair of two graphs that have different numbers of nodes for one another. As the pair is
// not over yet, neither graph is complete. Both learn of it, and the nodes that nothing will meet end here. A member
// whose call was refused does not know how much it would get: so a right sender to it has no failure, and a right
// receiver learns why the call was refused.
func (x *executor) passExcess(send, recv found, sent, received uint32) {
	from, to := int(high(send.g.where.Load())), int(high(recv.g.where.Load()))
	if send.g.fault.Fault().Kind() == cad.Refused || recv.g.fault.Fault().Kind() == cad.Refused {
		recv.g.fault.Note(send.g.fault.Failure())
	} else {
		recv.g.fault.Note(cad.AboutTwo(cad.Pairs, from, to))
		send.g.fault.Note(cad.AboutTwo(cad.Pairs, to, from))
	}
	x.passOver(send, received, sent, cad.Failure{})
	x.passOver(recv, sent, received, cad.Failure{})
}

// passOver ends nodes that nothing will meet: those of some ports among the ones that begin with a node. The graph has
// the failure, if there are such nodes, and goes on. So it is complete when all its nodes are done, and no executor is
// at work on its buffers any more.
//
// A node that is ready belongs to the executor that passes it over: the one that has made it ready finds no peer, and
// does not touch it after that.
func (x *executor) passOver(first found, from, to uint32, f cad.Failure) {
	g, issue := first.g, first.issue
	for port := from; port < to; port++ {
		n := nodeAt(first.n.address() + uint64(port)*uint64(nodeSize))
		if s := n.state.Load(); s != waiting.of(issue) && s != ready.of(issue) {
			continue
		}
		g.fault.Note(f)
		if !n.state.CompareAndSwap(waiting.of(issue), vain.of(issue)) &&
			n.state.CompareAndSwap(ready.of(issue), over.of(issue)) {
			x.pass(g, n)
		}
	}
}

// breakAt ends all graphs of a rank on a channel, if it has issued any there.
func (e *Engine) breakAt(rank int, context uint32, f cad.Failure) {
	if rec := e.find(rank, context); rec != nil && rec.broken.Note(f) {
		e.job.Inbox(rank).Notify()
	}
}

// breakAll ends all that the members of a channel have issued on it.
func (e *Engine) breakAll(c *cad.Channel, f cad.Failure) {
	for member := range c.Size {
		e.breakAt(c.RankOf(member), c.Context, f)
	}
}
