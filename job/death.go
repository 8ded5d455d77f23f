package job

// MarkGone notes that a rank is no more, and wakes all waiters. Only the
// supervisor calls it, when it has reaped the rank, so that the rank is certain
// not to execute another instruction: its words are final. Further
// calls for the same rank do nothing.
func (r *Root) MarkGone(rank int) {
	b, err := r.rank(rank)
	if err != nil || !b.gone.CompareAndSwap(0, 1) {
		return
	}
	r.head.firstLost.CompareAndSwap(0, uint32(rank)+1)
	r.head.goneCount.Add(1)
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
