package launcher

import (
	"time"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/sys"
)

// A report waits for answers for pollsWait at most. It looks for their answers each pollsLook.
const (
	pollsWait = time.Second
	pollsLook = 5 * time.Millisecond
)

// askHang asks the ranks what they do, unless that question is open, and reports it. It calls then, if it is not nil,
// after the report: a job that is to end must not end ranks before they were reported.
func (s *supervisor) askHang(then func()) {
	q := &s.asked
	if then != nil {
		q.then = append(q.then, then)
	}
	if q.at != 0 {
		return
	}
	q.at = sys.Monotonic()
	if s.memory != nil {
		s.memory.Root().AskReport(s.waiting(0))
	}
	q.end = time.Now().Add(pollsWait)
	s.awaitPolls()
}

// awaitPolls reports what the ranks do, or has itself called again.
func (s *supervisor) awaitPolls() {
	if s.memory != nil && time.Now().Before(s.asked.end) && s.silent(s.memory.Root()) {
		s.asked.tick = time.After(pollsLook)
		return
	}
	s.endHang()
}

// endHang answers the question with what is known.
func (s *supervisor) endHang() {
	s.asked.tick = nil
	s.whenPlaced(func() {
		then := s.asked.then
		s.asked = hangAsked{}
		s.sayHang()
		for _, f := range then {
			f()
		}
	})
}

// silent tells whether a rank of this node has not answered: it waits and has said nothing since, or runs and has not
// said for what it polls.
func (s *supervisor) silent(root *job.Root) bool {
	for i, pid := range s.ranks.Pids() {
		rank := s.number(i)
		if pid == 0 || root.Gone(rank) || root.State(rank) != job.StateInit {
			continue
		}
		w, waits := root.Waiting(rank)
		if waits && w.Seen < s.asked.at || !waits && root.Polls(rank).Op == job.OpNone {
			return true
		}
	}
	return false
}
