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
	if first, ok := r.Lost(); r.Visits(rank) {
		// Nobody here has ended because of it.
	} else if !ok || r.State(first) == StateFinal && r.State(rank) != StateFinal {
		r.head.firstLost.Store(uint32(rank) + 1)
	}
	r.head.goneCount.Add(1)
	for i := range r.head.holds {
		r.head.holds[i].reachedEvent.Signal()
		r.head.holds[i].releasedEvent.Signal()
	}
	for i := range r.Ranks() {
		r.ranks[i].inbox.Notify()
	}
	r.freeDesk()
}

// Reaping notes that a child of the supervisor has ended and is about to be reaped. From then on PidOver of its
// rank is true. Only the supervisor calls it.
//
// A pid is free only after its process was reaped, and PidOver is true before that. So if a peer first uses the pid
// of a rank, and PidOver is false afterwards, then the pid was the rank's.
//
// The rank is found by the pid in its Claim: the supervisor may not know the pid yet. A process that a rank has
// started, and that has claimed the rank in its place, is reaped by its parent, and PidOver stays false.
func (r *Root) Reaping(pid int) {
	for i := range r.Ranks() {
		if b := &r.ranks[i]; b.pid.Load() == uint32(pid) {
			b.pidOver.Store(1)
		}
	}
}

// PidOver tells whether Pid may name another process by now. Then the rank has ended, and Gone is true or
// will be soon.
func (r *Root) PidOver(rank int) bool { return r.block(rank).pidOver.Load() != 0 }

// Lost returns the rank that has gone first without Finalize, or if there is none the first that has gone. Others may
// have gone only because of it. ok is false if all are there.
func (r *Root) Lost() (rank int, ok bool) {
	first := r.head.firstLost.Load()
	return int(first) - 1, first != 0
}

// Failed tells whether a rank has failed: it has gone without Finalize. What it said last is final, see MarkGone.
func Failed(r *Root, rank int) bool { return r.Gone(rank) && r.State(rank) != StateFinal }

// Survives tells whether the job goes on without ranks that have failed.
func Survives(r *Root) bool { return r.settings.Survive }
