package protocol

// Grants: the receiver decides who may send how much. All lanes of all senders share one
// budget of packets that are granted and did not arrive, which a control adapts to what
// the receiver and the network before it can take. So senders that start all at once
// cannot overrun a queue that is as large as the budget.
//
// A lane whose sender has more than it may send competes for the budget. The lanes are
// ranked: by priority, which grows by one for each agePeriod that a lane has waited, then
// by what remains of their blocks, shortest first. The first overcommit of them share
// the budget, so the link stays busy when one of them does not send. A lane that does not
// compete gets a standing grant, so the first packets of its next block need not wait.
const (
	overcommit   = 4
	agePeriod    = 10 * Millisecond
	mostStanding = 96
	startBudget  = 40 << 10
	leastBudget  = 24 << 10
	lateBudget   = 2 * leastBudget // while grants are given late: see SetSlack
	soleBudget   = 1 << 20
	activePeriod = Second / 5
	startActive  = 2 // until it is known better: programs start all at once
)

// grants is the budget, and how it is shared.
type grants struct {
	budget    control
	turn      rtt  // from a grant to the packet that it allowed
	slack     Time // see Machine.SetSlack
	ranked    []*receiver
	standing  int // packets granted to a lane that does not compete
	senders   int // how many were active at once, lately
	sendersAt Time
	dirty     bool // something has changed since grants were given
	urgent    bool // a sender may be waiting for it
}

// rank orders lanes: greater is first.
type rank struct {
	level int
	left  uint64
}

func (a rank) before(b rank) bool {
	if a.level != b.level {
		return a.level > b.level
	}
	return a.left < b.left
}

func (r *receiver) rank(now Time) rank {
	return rank{int(r.lane) + int((now-r.waiting)/agePeriod), r.demand - r.next}
}

// needs tells whether the sender has more than it may send.
func (r *receiver) needs() bool { return r.demand > r.limit || r.more && r.limit <= r.demand }

// ceiling is what the limit can be at most. When memory is short, only blocks that have
// theirs already are granted.
func (r *receiver) ceiling() uint64 {
	m, p := r.peer.machine, r.peer
	switch top := r.next + maxWindow; {
	case r.refused || r.crowded:
		return r.limit
	case p.held > m.config.PeerMemory*3/4 || m.mem.held > m.mem.limit*3/4:
		return min(r.begun(), top)
	default:
		return top
	}
}

// changed notes that the grants are to be shared anew: at once if the lane's sender has
// more than it may send. While all senders have enough, the standing grants are filled up
// only now and then.
func (g *grants) changed(r *receiver) {
	needs := r.needs()
	if needs || len(g.ranked) > 0 || int(r.limit-r.demand) < g.standing*3/4 {
		g.dirty, g.urgent = true, g.urgent || needs
	}
}

// hurry has the grants be shared anew at once.
func (g *grants) hurry() { g.dirty, g.urgent = true, true }

// arrived notes what packets of so many bytes, seq the last of them, tell of the round trip and of the rate.
func (g *grants) arrived(r *receiver, at Time, seq uint64, bytes, payload int) {
	g.changed(r)
	if r.grantAt != 0 && seq >= r.grantEnd {
		d := max(at-r.grantAt, 1)
		g.turn.sample(at, d)
		g.budget.round(d)
		r.grantAt = 0
	}
	g.budget.arrive(at, bytes, payload, g.turn.least())
}

// share shares the budget among the lanes of some peers, if that is due. A packet has so many bytes.
func (g *grants) share(now Time, peers []*Peer, packet int) {
	if !g.dirty {
		return
	}
	g.dirty, g.urgent = false, false
	bytes := g.budget.window
	if g.slack > 0 {
		bytes = max(bytes, lateBudget)
	}
	budget := bytes / packet
	lanes, outstanding := g.compete(now, peers, budget)
	if g.senders <= 1 {
		budget = max(budget, soleBudget/packet)
	}
	share := max(2, budget/max(1, min(lanes, overcommit)))
	standing := min(max(2, budget/2/max(1, g.senders)), mostStanding)
	g.standing = standing
	for _, p := range peers {
		for set := p.receiving; set != 0; set = set.rest() {
			if r := p.lanes[set.first()].in; !r.needs() {
				r.raise(now, r.demand+uint64(standing), standing)
			}
		}
	}
	for _, r := range g.ranked {
		room := budget - outstanding
		if room <= 0 && r.outstanding() > 0 {
			continue
		}
		ahead := min(share, max(room+r.outstanding(), 1))
		target := r.next + uint64(r.count+ahead)
		if !r.more {
			target = min(target, r.demand+uint64(standing))
		}
		before := r.outstanding()
		r.raise(now, target, share)
		outstanding += r.outstanding() - before
	}
	g.budget.sent(outstanding * packet)
}

// compete finds the lanes that get a share, best first, in g.ranked. It returns how many
// compete, and the packets outstanding on all lanes. What a lane was given beyond its
// share while it was alone does not count.
func (g *grants) compete(now Time, peers []*Peer, budget int) (lanes, outstanding int) {
	g.ranked = g.ranked[:0]
	senders := 0
	for _, p := range peers {
		sends := false
		for set := p.receiving; set != 0; set = set.rest() {
			r := p.lanes[set.first()].in
			out := min(r.outstanding(), budget/2)
			outstanding += out
			needs := r.needs() && r.ceiling() > r.limit
			if out > 0 || needs {
				sends = true
			}
			if !needs {
				r.waiting = now
				continue
			}
			lanes++
			g.consider(now, r)
		}
		if sends {
			senders++
		}
	}
	g.countActive(now, senders)
	return lanes, outstanding
}

// consider inserts a lane into the ranking, which keeps the best.
func (g *grants) consider(now Time, r *receiver) {
	i := len(g.ranked)
	mine := r.rank(now)
	for i > 0 && mine.before(g.ranked[i-1].rank(now)) {
		i--
	}
	if i == overcommit {
		return
	}
	if len(g.ranked) < overcommit {
		g.ranked = append(g.ranked, nil)
	}
	copy(g.ranked[i+1:], g.ranked[i:])
	g.ranked[i] = r
}

// countActive remembers for a while how many senders were active at once.
func (g *grants) countActive(now Time, n int) {
	switch {
	case n >= g.senders || g.sendersAt == 0:
		g.senders, g.sendersAt = max(n, g.senders), now
	case now-g.sendersAt > activePeriod:
		g.senders, g.sendersAt = max(n, g.senders/2), now
	}
}

// raise lifts the limit of a lane to the target. The next acknowledgement tells it; that
// is sent at once if the sender waits for it, or soon would: if a quarter of what the lane
// gets has not been told, or all that has been told was used.
func (r *receiver) raise(now Time, target uint64, most int) {
	target = min(target, r.ceiling())
	if target <= r.limit {
		return
	}
	r.limit = target
	untold, used := int(target-r.told), r.told <= r.next+uint64(r.count)
	if r.demand <= r.told && !r.more {
		return // the sender has nothing to send for it yet
	}
	if used || untold >= max(1, min(most/4, mostUnacked)) {
		r.due(now)
	}
}

// begun is the end of the last block that has its memory.
func (r *receiver) begun() uint64 {
	if n := r.blocks.len(); n > 0 {
		return r.blocks.at(n - 1).end()
	}
	return r.next
}
