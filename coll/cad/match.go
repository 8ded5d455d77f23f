package cad

// How a SEND finds its RECV. Both say that they are ready in their own state, and then
// look at the other's. All these are atomic operations of Go, hence in one total order:
// whichever looks last finds the other ready, so at least one of them does. Whoever has
// looked from the RECV and found the SEND ready, or from the SEND and found the RECV
// ready, tries to swap the RECV's state from ready to claimed, and the one of them that
// can does it. It alone goes on, with both nodes; the other must not touch either of
// them again, as both graphs may be complete by then, and their memory be something
// else: what it needs it has read before. If the other graph is not there yet, or its
// node not ready, there is nothing to do: whoever makes that ready will look at ours.

// found is a node of a peer's graph.
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

// ports returns the run of a graph's nodes of a kind that communicate with a rank, its
// nodes' address, and whether all of it was read while the issue was underway: once that
// is done the owner may give the memory away before it uses the graph's place again.
func (g *graph) ports(issue uint64, k Kind, rank uint32) (p peer, nodes uint64, ok bool) {
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
	n.state.Store(ready.of(issue)) // from here on n is ours only if we can claim it
	peer, peerIssue := x.e.lookup(at.rank, uint32(high(place)), uint32(low(place)))
	if peer == nil {
		return
	}
	other := Send + Recv - kind
	p, nodes, ok := peer.ports(peerIssue, other, rank)
	switch {
	case !ok:
		return // it is complete, and so n is
	case at.port >= p.count:
		x.e.misfit(uint32(high(place)), uint32(low(place)), at.rank, rank, [2]uint64{})
		return
	}
	o := nodeAt(nodes + uint64(p.first+at.port)*uint64(nodeSize))
	send, recv := found{n, issue, g}, found{o, peerIssue, peer}
	if kind == Recv {
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
	if pairOf(r.arg).port == 0 || s.size != r.size {
		x.compare(send, recv)
	}
	if s.size != r.size {
		recv.g.passRefusal(send.g)
		send.g.passRefusal(recv.g)
		f := failure{fault: faultSize | fault(high(send.g.where.Load())), detail: [2]uint64{s.size, r.size}}
		send.g.note(f)
		recv.g.note(f)
	}
	x.runnable(recv.g, r)
}

// compare makes sure that two graphs that communicate stand for the same call, and have as
// many SEND nodes for one another as RECV nodes. Both are underway as long as the pair is
// not done.
func (x *executor) compare(send, recv found) {
	from, to := uint32(high(send.g.where.Load())), uint32(high(recv.g.where.Load()))
	context, number := placeOf(send.g)
	if f := x.e.difference(context, number, from, to); f.kind() == faultCall {
		send.g.note(f)
		recv.g.note(f)
	}
	a, _, _ := send.g.ports(send.issue, Send, to)
	b, _, _ := recv.g.ports(recv.issue, Recv, from)
	if a.count != b.count {
		f := x.e.misfit(context, number, from, to, [2]uint64{uint64(a.count), uint64(b.count)})
		send.g.note(f) // one of them may be complete before it is given up
		recv.g.note(f)
	}
}

func placeOf(g *graph) (context, number uint32) {
	place := g.place.Load()
	return uint32(high(place)), uint32(low(place))
}

// difference returns what is wrong with the calls that the graphs of two ranks stand for,
// as far as that is still known.
func (e *Engine) difference(context, number, a, b uint32) failure {
	call, known := e.find(int(a), context).call(number)
	other, too := e.find(int(b), context).call(number)
	if !known || !too {
		return failure{}
	}
	return between(int(a), call, int(b), other)
}

// misfit ends the graphs of two ranks that do not have as many nodes for one another, and
// with them their channel, and returns why. Each tells the other members when it gives up
// its graph: see run.abandon. If they stand for different calls and all are compared first,
// they end by themselves.
func (e *Engine) misfit(context, number, a, b uint32, counts [2]uint64) failure {
	f := e.difference(context, number, a, b)
	switch {
	case f.fault == 0:
		f = failure{fault: faultPairs | fault(a), detail: counts}
	case e.options.Check:
		return failure{}
	}
	e.breakAt(int(a), context, f, number)
	e.breakAt(int(b), context, f, number)
	return f
}

// breakAt ends all graphs of a rank on a channel, if it has issued any there.
func (e *Engine) breakAt(rank int, context uint32, f failure, number uint32) {
	if rec := e.find(rank, context); rec != nil && rec.ruin(f, number) {
		e.root.Inbox(rank).Notify()
	}
}
