package launcher

import (
	"time"

	"github.com/gopvas/gopvas/internal/job"
)

// pollsWait bounds how long a report waits for ranks that may poll. One that computes does not answer.
const pollsWait = 250 * time.Millisecond

// askPolls has the ranks that poll say for what, and waits for that. Ranks that wait in a call need not be asked.
func (s *supervisor) askPolls() {
	if s.memory == nil {
		return
	}
	root := s.memory.Root()
	root.AskPolls()
	for end := time.Now().Add(pollsWait); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if !s.silent(root) {
			return
		}
	}
}

// silent tells whether a rank of this node runs and has not said for what it polls.
func (s *supervisor) silent(root *job.Root) bool {
	for i, pid := range s.pids {
		rank := s.job.first() + i
		if pid == 0 || root.Gone(rank) || root.State(rank) != job.StateInit {
			continue
		}
		if _, waits := root.Waiting(rank); !waits && root.Polls(rank).Op == job.OpNone {
			return true
		}
	}
	return false
}
