package cad

// Graphs that wait for one that has no node for them. That a graph has fewer nodes for
// another than that has for it is found out when nodes meet (see meet), unless the one that
// waits was there first, and none of the other's nodes ever looks for it. So who waits asks
// its peers to compare when they issue, by a bit in their records, and then compares by
// itself with those that have issued already; who issues looks afterwards who has asked.

// deserted asks all peers, and looks for one that has issued a graph with fewer nodes for
// this one.
func (r *run) deserted() failure {
	if !r.e.direct {
		if r.looks == patience {
			r.Lasting()
		}
		return failure{}
	}
	base := uint32(r.image.count)
	for i := range uint32(r.image.peers) {
		at := base + i*peerWords
		key, first, count := word(r.image.aux, at).Load(), word(r.image.aux, at+1).Load(), word(r.image.aux, at+2).Load()
		rank := key >> 1
		rec := r.e.find(int(rank), r.channel.Context)
		if rec == nil {
			continue // whoever makes a record has been asked by all
		}
		setBit(&rec.watched, r.e.rank)
		if int32(rec.issued.Load()-r.number) <= 0 {
			continue
		}
		kind := Send
		if key&1 != 0 {
			kind = Recv
		}
		if g, issue := r.e.lookup(rank, r.channel.Context, r.number); g != nil {
			if p, _, ok := g.ports(issue, Send+Recv-kind, uint32(r.e.rank)); ok {
				if p.count < count {
					return r.e.misfit(r.channel.Context, r.number, rank, uint32(r.e.rank), [2]uint64{})
				}
				continue
			}
		}
		if !r.entered() {
			continue // its GATE may have completed it
		}
		for place := first; place < first+count; place++ { // its graph is complete
			if r.image.node(place).state.Load() != over.of(r.issue) {
				return r.e.misfit(r.channel.Context, r.number, rank, uint32(r.e.rank), [2]uint64{})
			}
		}
	}
	return failure{}
}

// entered tells whether the graph has found nothing wrong with the calls of all members, if
// they are compared. Then no other has.
func (r *run) entered() bool {
	m := r.image
	return m.entry == m.start || m.node(m.entry).state.Load() == over.of(r.issue)
}

// answer compares with those that have asked.
func (r *run) answer() {
	e := r.e
	if r.record.watched.Load() == 0 {
		return
	}
	for b := range onesFrom(r.record.watched.Swap(0), e.rank) {
		for rank := b; rank < e.root.Ranks(); rank += 64 {
			rec := e.find(rank, r.channel.Context)
			if rec == nil {
				continue
			}
			if int32(rec.issued.Load()-r.number) > 1 {
				setBit(&r.record.watched, rank) // it may wait for the next one, too
			}
			if g, issue := e.lookup(uint32(rank), r.channel.Context, r.number); g != nil && r.short(g, issue, uint32(rank)) {
				e.misfit(r.channel.Context, r.number, uint32(e.rank), uint32(rank), [2]uint64{})
			}
		}
	}
}

// short tells whether the graph of a rank has more nodes for this one than this has for it.
func (r *run) short(g *graph, issue uint64, rank uint32) bool {
	for _, kind := range []Kind{Send, Recv} {
		theirs, _, ok := g.ports(issue, kind, uint32(r.e.rank))
		ours, _, here := r.shared.ports(r.issue, Send+Recv-kind, rank)
		if ok && here && theirs.count > ours.count {
			return true
		}
	}
	return false
}
