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
	case r.refused:
		return r.limit
	case p.held > m.config.PeerMemory*3/4 || m.mem.held > m.mem.limit*3/4:
		return min(r.begun(), top)
	default:
		return top
	}
}

// regrant notes that the grants are to be shared anew: at once if the lane's sender has
// more than it may send. While all senders have enough, the standing grants are filled up
// only now and then.
func (m *Machine) regrant(r *receiver) {
	needs := r.needs()
	if needs || len(m.ranked) > 0 || int(r.limit-r.demand) < m.standing*3/4 {
		m.grantsDirty, m.urgent = true, m.urgent || needs
	}
}

// grant shares the budget.
func (m *Machine) grant() {
	if !m.grantsDirty {
		return
	}
	m.grantsDirty, m.urgent = false, false
	bytes := m.budget.window
	if m.slack > 0 {
		bytes = max(bytes, lateBudget)
	}
	budget := bytes / m.packetSize
	lanes, outstanding := m.compete(budget)
	if m.activeSenders <= 1 {
		budget = max(budget, soleBudget/m.packetSize)
	}
	share := max(2, budget/max(1, min(lanes, overcommit)))
	standing := min(max(2, budget/2/max(1, m.activeSenders)), mostStanding)
	m.standing = standing
	for _, p := range m.active {
		for set := p.receiving; set != 0; set = set.rest() {
			if r := p.lanes[set.first()].in; !r.needs() {
				r.raise(m, r.demand+uint64(standing), standing)
			}
		}
	}
	for _, r := range m.ranked {
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
		r.raise(m, target, share)
		outstanding += r.outstanding() - before
	}
	m.budget.sent(outstanding * m.packetSize)
}

// compete finds the lanes that get a share, best first, in m.ranked. It returns how many
// compete, and the packets outstanding on all lanes. What a lane was given beyond its
// share while it was alone does not count.
func (m *Machine) compete(budget int) (lanes, outstanding int) {
	m.ranked = m.ranked[:0]
	senders := 0
	for _, p := range m.active {
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
				r.waiting = m.now
				continue
			}
			lanes++
			m.consider(r)
		}
		if sends {
			senders++
		}
	}
	m.countActive(senders)
	return lanes, outstanding
}

// consider inserts a lane into the ranking, which keeps the best.
func (m *Machine) consider(r *receiver) {
	i := len(m.ranked)
	mine := r.rank(m.now)
	for i > 0 && mine.before(m.ranked[i-1].rank(m.now)) {
		i--
	}
	if i == overcommit {
		return
	}
	if len(m.ranked) < overcommit {
		m.ranked = append(m.ranked, nil)
	}
	copy(m.ranked[i+1:], m.ranked[i:])
	m.ranked[i] = r
}

// countActive remembers for a while how many senders were active at once.
func (m *Machine) countActive(n int) {
	switch {
	case n >= m.activeSenders || m.activeSendersAt == 0:
		m.activeSenders, m.activeSendersAt = max(n, m.activeSenders), m.now
	case m.now-m.activeSendersAt > activePeriod:
		m.activeSenders, m.activeSendersAt = max(n, m.activeSenders/2), m.now
	}
}

// raise lifts the limit of a lane to the target. The next acknowledgement tells it; that
// is sent at once if the sender waits for it, or soon would: if a quarter of what the lane
// gets has not been told, or all that has been told was used.
func (r *receiver) raise(m *Machine, target uint64, most int) {
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
		r.due(m.now)
	}
}

// begun is the end of the last block that has its memory.
func (r *receiver) begun() uint64 {
	if n := r.blocks.len(); n > 0 {
		return r.blocks.at(n - 1).end()
	}
	return r.next
}
