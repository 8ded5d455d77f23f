package launcher

import (
	"time"

	"github.com/gopvas/gopvas/internal/processes"
	"github.com/gopvas/gopvas/internal/sys"
)

// look is the next step of the lookout. The nodes of a job on several only tell the leader how many ranks wait. A
// question to the ranks withdraws the answers to the last one, so there is none while a report waits for places.
func (s *supervisor) look() {
	l := &s.lookout
	if s.memory == nil || s.fate.Starting || s.over() || s.placing.then != nil {
		l.Rest()
		return
	}
	root := s.memory.Root()
	switch {
	case s.job.Part != nil && l.Asked:
		number := l.Number
		s.whenPlaced(func() { s.tellDoing(number) })
		l.Rest()
	case s.job.Part != nil:
		s.tellWaiting()
		l.Rest()
	case !l.Asked:
		waiting := s.waiting(l.After)
		if !l.Wants(len(waiting), s.ranks.Alive()) {
			l.Rest()
			return
		}
		root.Look(l.Ask(), waiting)
	default:
		views := root.Snapshot()
		proof, again := l.Read(views, time.Duration(sys.Monotonic()))
		switch {
		case again:
			root.Look(l.Ask(), s.waiting(l.After))
		case len(proof.Ranks) > 0 && s.watched():
			l.GiveUp()
		case len(proof.Ranks) > 0:
			l.Tick = nil
			s.whenPlaced(func() {
				if !s.over() { // by another cause meanwhile
					s.report(views, &proof)
					if s.job.Deadlock != DeadlockReport {
						s.fate.Deadlocked()
					}
				}
			})
		}
	}
}

// watched tells whether a rank of this node is stopped, or has a debugger attached. Such a job is not ended.
func (s *supervisor) watched() bool {
	for pid := range s.ranks.Living() {
		if p, ok := processes.Find(pid); ok && (p.State == 'T' || p.State == 't') || processes.Traced(pid) {
			return true
		}
	}
	return false
}

// waiting returns the numbers of this node's ranks that have waited for so long.
func (s *supervisor) waiting(long time.Duration) (list []int) {
	now := time.Duration(sys.Monotonic())
	for _, rank := range s.ranks.Living() {
		rank = s.number(rank)
		if w, ok := s.memory.Root().Waiting(rank); ok && now-time.Duration(w.Since) >= long {
			list = append(list, rank)
		}
	}
	return list
}
