package hang

import (
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
)

// A Lookout decides when to look for a deadlock (job.Answer), and what the answers prove (job.Prove). It belongs to the
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
type Lookout struct {
	After  time.Duration
	Tick   <-chan time.Time // when the next step is due; nil: there is none
	Number uint32           // of the last look
	first  []job.View       // the views after the first of two looks; nil: there was none
	Asked  bool             // ranks were asked, and their answers are not read yet
	pause  int              // from a look to the next one, in units of after/3
	idle   int              // since the last look, in the same units
	all    bool             // all ranks waited at the last look
}

// AnswerTime limits how long the leader waits for answers.
const AnswerTime = 2 * time.Second

// mostPause is the longest pause, in units of a third of the time that ranks must have waited.
const mostPause = 32

// NewLookout returns a lookout for ranks that have waited for so long. off is one that does not look.
func NewLookout(after time.Duration, off bool) Lookout {
	l := Lookout{After: after, pause: 1}
	if !off {
		l.Rest()
	}
	return l
}

// Rest ends a look, or none, and sets the time of the next step.
func (l *Lookout) Rest() {
	l.first, l.Asked = nil, false
	l.Tick = time.After(l.After / 3)
}

// Wants tells whether it is time for a first look, given the number of ranks that have waited for long, and that of
// ranks that have not ended.
func (l *Lookout) Wants(waiting, alive int) bool {
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

// Ask counts a look, and sets the time at which its answers are read.
func (l *Lookout) Ask() uint32 {
	l.Number++
	l.Asked = true
	l.Tick = time.After(max(l.After/10, 20*time.Millisecond))
	return l.Number
}

// Read takes the answers to the last look, and returns what they prove. If they may be the first half of a proof, again
// is true: the second look is due.
func (l *Lookout) Read(views []job.View, now time.Duration) (p job.Proof, again bool) {
	if l.first == nil {
		if job.Plausible(views, l.Number) && waitedLong(views, l.Number, now, l.After) {
			l.first = views
			return p, true
		}
	} else {
		p = job.Prove(l.first, views, l.Number)
	}
	if len(p.Ranks) == 0 {
		l.GiveUp()
	}
	return p, false
}

// GiveUp ends a look that has proved nothing.
func (l *Lookout) GiveUp() {
	l.pause = min(2*l.pause, mostPause)
	l.Rest()
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
