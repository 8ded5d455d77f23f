package launcher

import (
	"fmt"
	"time"

	"github.com/gopvas/gopvas/internal/job"
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

// A lookout decides when to look for a deadlock (job.Answer), and what the answers prove (job.Prove). It belongs to the
// goroutine of a supervisor, or of the leader of several nodes, which asks the ranks.
//
//	       worth a look           plausible
//	idle --------------> first ------------> second --proved--> over
//	 ^                     |                    |
//	 +------- pause -------+--------------------+
//
// A rank that runs takes no part. The lookout reads periodically when ranks began to wait. It looks only if a rank has
// waited for long, because a look wakes the ranks that wait. Each look that proves nothing doubles the pause before the
// next one, until no rank waits for long. So ranks that wait for hours for one that computes are seldom woken.
type lookout struct {
	policy Deadlock
	after  time.Duration
	tick   <-chan time.Time // when the next step is due; nil: there is none
	number uint32           // of the last look
	first  []job.View       // the views after the first of two looks; nil: there was none
	asked  bool             // ranks were asked, and their answers are not read yet
	pause  int              // from a look to the next one, in units of after/3
	idle   int              // since the last look, in the same units
	all    bool             // all ranks waited at the last look
}

// mostPause is the longest pause, in units of a third of the time that ranks must have waited.
const mostPause = 32

// newLookout returns the lookout of a job. With helper threads of nonblocking collectives it does not look: they work
// while their ranks wait.
func newLookout(j *Job) lookout {
	l := lookout{policy: j.Deadlock, after: j.DeadlockAfter, pause: 1}
	if l.policy == "" {
		l.policy = DeadlockEnd
	}
	if l.after == 0 {
		l.after = DeadlockAfter
	}
	if l.policy != DeadlockOff && j.Settings.Helpers == 0 {
		l.rest()
	}
	return l
}

// rest ends a look, or none, and sets the time of the next step.
func (l *lookout) rest() {
	l.first, l.asked = nil, false
	l.tick = time.After(l.after / 3)
}

// wants tells whether it is time for a first look, given the number of ranks that have waited for long, and that of
// ranks that have not ended.
func (l *lookout) wants(waiting, alive int) bool {
	all := waiting == alive
	l.idle++
	switch {
	case waiting == 0:
		l.pause = 1
	case l.idle >= l.pause, all && !l.all:
		l.idle, l.all = 0, all
		return true
	}
	return false
}

// ask counts a look, and sets the time at which its answers are read.
func (l *lookout) ask() uint32 {
	l.number++
	l.asked = true
	l.tick = time.After(max(l.after/10, 20*time.Millisecond))
	return l.number
}

// read takes the answers to the last look, and returns what they prove. If they may be the first half of a proof, again
// is true: the second look is due.
func (l *lookout) read(views []job.View, now time.Duration) (p job.Proof, again bool) {
	if l.first == nil {
		if job.Plausible(views, l.number) && waitedLong(views, l.number, now, l.after) {
			l.first = views
			return p, true
		}
	} else {
		p = job.Prove(l.first, views, l.number)
	}
	if len(p.Ranks) == 0 {
		l.giveUp()
	}
	return p, false
}

// giveUp ends a look that has proved nothing.
func (l *lookout) giveUp() {
	l.pause = min(2*l.pause, mostPause)
	l.rest()
}

// waitedLong tells whether all ranks that have answered a look have waited for long.
func waitedLong(views []job.View, look uint32, now, after time.Duration) bool {
	for _, v := range views {
		if v.Waits && v.Answer.Look == look && waited(v, now) < after {
			return false
		}
	}
	return true
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
					s.fate.deadlocked(l.policy)
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

// deadlocked is told that a deadlock was proved, and reported.
func (f *fate) deadlocked(policy Deadlock) {
	if policy != DeadlockEnd {
		return
	}
	f.end(codeDeadlock)
	f.say("deadlock: %s (--deadlock=report lets them wait)", f.doing("ending"))
}

// describeProof says what is proved.
func describeProof(views []job.View, p *job.Proof, now time.Duration) string {
	shortest := waited(views[p.Ranks[0]], now)
	for _, r := range p.Ranks {
		shortest = min(shortest, waited(views[r], now))
	}
	what := ""
	switch {
	case len(p.Cycle) > 0:
		what = steps(p.Cycle) + "; "
	case p.All:
		what = "all ranks wait, and no message is on its way; "
	}
	return fmt.Sprintf("  deadlock, proved: %snothing has moved for %v, and %s can never go on\n",
		what, shortest.Round(time.Millisecond), rankList(p.Ranks, 0))
}
