package job

// MarkGone notes that a rank is no more, and wakes all who wait. Only the
// supervisor calls it, when it has reaped the rank, so that the rank is certain
// not to execute another instruction: what it left in its words is final. Further
// calls for the same rank do nothing.
func (r *Root) MarkGone(rank int) {
	b, err := r.rank(rank)
	if err != nil || !b.gone.CompareAndSwap(0, 1) {
		return
	}
	r.head.firstLost.CompareAndSwap(0, uint32(rank)+1)
	r.head.goneCount.Add(1)
	r.head.barrierEvent.Signal()
	for i := range r.head.holds {
		r.head.holds[i].reachedEvent.Signal()
		r.head.holds[i].releasedEvent.Signal()
	}
	for i := range r.ranks {
		r.ranks[i].inbox.Notify()
	}
}

// Lost returns the rank that has gone first; ok is false if all are there. A rank
// counts as gone in whatever way it ended, also after a regular Finalize.
func (r *Root) Lost() (rank int, ok bool) {
	first := r.head.firstLost.Load()
	return int(first) - 1, first != 0
}

// lostBefore returns a rank that has gone without having entered barrier number k,
// or -1: the first rank to have gone, if it is one of them, since others often go
// only because of the first. Once it returns a rank, some rank is returned for
// ever: one that has gone enters no more barriers.
func (r *Root) lostBefore(k uint64) int {
	if r.head.goneCount.Load() == 0 {
		return -1
	}
	if first, ok := r.Lost(); ok && r.ranks[first].arrived.Load() < k {
		return first
	}
	for i := range r.ranks {
		if b := &r.ranks[i]; b.gone.Load() != 0 && b.arrived.Load() < k {
			return i
		}
	}
	return -1
}
