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

// Reaping notes that a child of the supervisor has ended and is about to be reaped. If it is a rank, PidOver
// is true of it from then on. Only the supervisor calls it. So whoever uses a rank's pid, and finds
// after that that PidOver is false, has met the rank: the number was not free before.
//
// The rank may be one that the supervisor does not know yet by its pid: its Claim tells. What a rank started, and
// what has claimed the rank in its place, is reaped by whoever started it, without this note.
func (r *Root) Reaping(pid int) {
	for i := range r.ranks {
		if b := &r.ranks[i]; b.pid.Load() == uint32(pid) {
			b.pidOver.Store(1)
		}
	}
}

// PidOver tells whether Pid may name another process by now. The rank has ended; if the supervisor has
// not said so yet (Gone) it is about to.
func (r *Root) PidOver(rank int) bool { return r.block(rank).pidOver.Load() != 0 }

// Lost returns the rank that has gone first; ok is false if all are there. A rank
// counts as gone in whatever way it ended, also after a regular Finalize.
func (r *Root) Lost() (rank int, ok bool) {
	first := r.head.firstLost.Load()
	return int(first) - 1, first != 0
}
