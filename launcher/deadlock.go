package launcher

import (
	"fmt"
	"time"

	"github.com/gopvas/gopvas/internal/processes"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/job"
)

// A Deadlock policy says what becomes of a job of which a deadlock is proved.
type Deadlock string

// The policies.
const (
	DeadlockEnd    Deadlock = "end"    // it is reported, and the job ends with code 125; the default
	DeadlockReport Deadlock = "report" // it is reported, once
	DeadlockOff    Deadlock = "off"    // nobody looks
)

// DeadlockAfter is how long ranks have waited when the launcher begins to look.
const DeadlockAfter = 3 * time.Second

// A lookout looks for a deadlock, by itself. It belongs to the goroutine of a supervisor, or of the leader of several
// nodes, which has it ask ranks and reads their answers.
//
//	       worth a look           plausible
//	idle --------------> first ------------> second --proved--> over
//	 ^                     |                    |
//	 +------- pause -------+--------------------+
//
// A rank that runs has no part in this. Once in a while the lookout reads when ranks began to wait, and only if one has
// waited for long, it looks (job.Root.Look): that wakes the ranks that wait. What two looks prove is said at
// job.Prove. A look in vain makes the pause before the next one longer, until somebody goes on: so ranks
// that wait for hours for one that computes are left alone.
type lookout struct {
	policy Deadlock
	after  time.Duration
	tick   <-chan time.Time // the next step is due; nil: there is none
	number uint32           // of the last look
	first  []job.View       // what the first of two looks has found; nil: there was none
	asked  bool             // ranks have been asked, and not been read
	pause  int              // in units of after/3, until the next look
	idle   int              // the same, since the last one
	all    bool             // all ranks were waiting at the last look
}

// mostPause is the longest pause, in units of a third of the time that ranks must have waited.
const mostPause = 32

// newLookout begins to look, if the job is to be looked at. With helper threads of nonblocking collectives nothing is proved:
// they go on while their ranks wait.
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

// rest has the next step come after a part of the time that ranks must have waited.
func (l *lookout) rest() {
	l.first, l.asked = nil, false
	l.tick = time.After(l.after / 3)
}

// wants tells whether it is time for a first look, given how many ranks have waited for long, of those that have not ended.
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

// ask counts a look, and has its answers read after a while.
func (l *lookout) ask() uint32 {
	l.number++
	l.asked = true
	l.tick = time.After(max(l.after/10, 20*time.Millisecond))
	return l.number
}

// read takes the answers to the last look. If they prove a deadlock it returns that. If they may be the first half of a proof,
// the next look is due.
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

// giveUp is called after a look in vain.
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

// waiting returns the numbers of this node's ranks that have waited for long.
func (s *supervisor) waiting() (list []int) {
	now := time.Duration(sys.Monotonic())
	for _, rank := range s.alive {
		rank += s.job.first()
		if w, ok := s.memory.Root().Waiting(rank); ok && now-time.Duration(w.Since) >= s.lookout.after {
			list = append(list, rank)
		}
	}
	return list
}

// look is the next step of the lookout. The nodes of a job on several only tell the leader how many ranks wait.
func (s *supervisor) look() {
	l := &s.lookout
	if s.memory == nil || s.fate.starting || s.over() {
		l.rest()
		return
	}
	root := s.memory.Root()
	switch {
	case s.job.part != nil && l.asked:
		s.tellDoing(l.number)
		l.rest()
	case s.job.part != nil:
		s.tellWaiting()
		l.rest()
	case !l.asked:
		waiting := s.waiting()
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
			root.Look(l.ask(), s.waiting())
		case len(proof.Ranks) > 0 && s.watched():
			l.giveUp()
		case len(proof.Ranks) > 0:
			l.tick = nil
			s.report(views, &proof)
			s.fate.deadlocked(l.policy)
		}
	}
}

// watched tells whether a rank of this node is stopped, or looked at by a debugger: then nobody wants the job to be ended.
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
	since := shortest.Round(time.Millisecond)
	who := rankList(p.Ranks, 0)
	switch {
	case len(p.Cycle) > 0:
		return fmt.Sprintf("  deadlock, proved: %s; nothing has moved for %v, and %s can never go on\n", steps(p.Cycle), since, who)
	case p.All:
		return fmt.Sprintf("  deadlock, proved: all ranks wait, and no message is on its way; nothing has moved for %v, and %s can never go on\n", since, who)
	}
	return fmt.Sprintf("  deadlock, proved: nothing has moved for %v, and %s can never go on\n", since, who)
}
