package launcher

import (
	"cmp"
	"fmt"
	"time"

	"github.com/gopvas/gopvas/internal/processes"
	"github.com/gopvas/gopvas/internal/sys"
)

// Deadlock is what becomes of a job with a proved deadlock.
type Deadlock string

// The policies.
const (
	DeadlockEnd    Deadlock = "end"    // it is reported, and the job ends with code 125; the default
	DeadlockReport Deadlock = "report" // it is reported, once
	DeadlockOff    Deadlock = "off"    // the launcher does not look
)

// DeadlockAfter is how long ranks have waited when the launcher begins to look.
const DeadlockAfter = 3 * time.Second

// LooksAfter returns how long ranks must have waited for a look. It is off by the policy, and with helper threads of
// nonblocking collectives, which work while their ranks wait.
func (j *Job) LooksAfter() (after time.Duration, off bool) {
	return cmp.Or(j.DeadlockAfter, DeadlockAfter), j.Deadlock == DeadlockOff || j.Settings.Helpers != 0
}

// leastDeadlockAfter is the least Job.DeadlockAfter. Each look wakes the ranks, so they must have waited for some time.
const leastDeadlockAfter = 10 * time.Millisecond

// CheckDeadlockAfter tells whether the launcher can look for deadlocks of ranks that have waited for so long: nil if it
// can.
func CheckDeadlockAfter(after time.Duration) error {
	if after < leastDeadlockAfter {
		return fmt.Errorf(
			"launcher: job: to look for a deadlock after %v is too early: take %v or more, or look for "+
				"none (--deadlock off)",
			after, leastDeadlockAfter)
	}
	return nil
}

// look is the next step of the lookout. The nodes of a job on several only tell the leader how many ranks wait. A
// question to the ranks withdraws the answers to the last one, so there is none while a report waits for places.
func (s *supervisor) look() {
	l := &s.lookout
	if s.memory == nil || s.fate.starting || s.over() || s.placing.then != nil {
		l.rest()
		return
	}
	root := s.memory.Root()
	switch {
	case s.job.Part != nil && l.asked:
		number := l.number
		s.whenPlaced(func() { s.tellDoing(number) })
		l.rest()
	case s.job.Part != nil:
		s.tellWaiting()
		l.rest()
	case !l.asked:
		waiting := s.waiting(l.after)
		if !l.wants(len(waiting), len(s.alive)) {
			l.rest()
			return
		}
		root.Look(l.ask(), waiting)
	default:
		views := root.Snapshot()
		proof, again := l.read(views, time.Duration(sys.Monotonic()))
		switch {
		case again:
			root.Look(l.ask(), s.waiting(l.after))
		case len(proof.Ranks) > 0 && s.watched():
			l.giveUp()
		case len(proof.Ranks) > 0:
			l.tick = nil
			s.whenPlaced(func() {
				if !s.over() { // by another cause meanwhile
					s.report(views, &proof)
					if s.job.Deadlock != DeadlockReport {
						s.fate.deadlocked()
					}
				}
			})
		}
	}
}

// watched tells whether a rank of this node is stopped, or has a debugger attached. Such a job is not ended.
func (s *supervisor) watched() bool {
	for pid := range s.alive {
		if p, ok := processes.Find(pid); ok && (p.State == 'T' || p.State == 't') || processes.Traced(pid) {
			return true
		}
	}
	return false
}

// waiting returns the numbers of this node's ranks that have waited for so long.
func (s *supervisor) waiting(long time.Duration) (list []int) {
	now := time.Duration(sys.Monotonic())
	for _, rank := range s.alive {
		rank = s.number(rank)
		if w, ok := s.memory.Root().Waiting(rank); ok && now-time.Duration(w.Since) >= long {
			list = append(list, rank)
		}
	}
	return list
}
