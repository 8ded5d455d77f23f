package watch

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

// question is an open one to the ranks of this node what they do. What ranks wait for is known before. One that waits
// in a program in Go says where its call is, and one that polls says for what, at its next poll. One that computes, or
// is stopped, does not answer.
type question struct {
	tick     <-chan time.Time // when the answers are looked at next; nil: they are not awaited
	at       int64            // when it was asked, on the clock of Waiting.Seen; 0: no question is open
	end      time.Time        // when the report does not wait for more
	timedOut bool             // of Step
}

// Ask asks the ranks what they do, unless that question is open, and has it reported. timedOut is that of the step.
func (w *Watch) Ask(timedOut bool) []Step {
	q := &w.asked
	q.timedOut = q.timedOut || timedOut
	if q.at != 0 {
		return nil
	}
	q.at = sys.Monotonic()
	if w.root != nil {
		w.root.AskReport(w.waiting(0))
	}
	q.end = time.Now().Add(pollsWait)
	return w.Answers()
}

// AnswersDue is when Answers is due; nil: the question is not open, or has its answers.
func (w *Watch) AnswersDue() <-chan time.Time { return w.asked.tick }

// Answers reports what the ranks do, or is due again.
func (w *Watch) Answers() []Step {
	if w.root != nil && time.Now().Before(w.asked.end) && w.silent(w.root) {
		w.asked.tick = time.After(pollsLook)
		return nil
	}
	return w.EndAnswers()
}

// EndAnswers answers the question with what is known.
func (w *Watch) EndAnswers() []Step {
	w.asked.tick = nil
	return w.placed(pending{})
}

// silent tells whether a rank of this node has not answered: it waits and has said nothing since, or runs and has not
// said for what it polls.
func (w *Watch) silent(root *job.Root) bool {
	for i, pid := range w.ranks.Pids() {
		rank := w.ranks.Number(i)
		if pid == 0 || root.Gone(rank) || root.State(rank) != job.StateInit {
			continue
		}
		a, waits := root.Waiting(rank)
		if waits && a.Seen < w.asked.at || !waits && root.Polls(rank).Op == job.OpNone {
			return true
		}
	}
	return false
}
