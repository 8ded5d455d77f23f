package watch

import (
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/roster"
)

// A report waits for answers for pollsWait at most. It looks for their answers each pollsLook.
const (
	pollsWait = time.Second
	pollsLook = 5 * time.Millisecond
)

// question is the open question to the ranks of this node: what they do. What a rank waits for is known before. If its
// program is in Go the rank says where its call is. A rank that polls says for what, at its next poll. A rank that
// computes, or is stopped, does not answer.
type question struct {
	tick     <-chan time.Time // when the answers are looked at next; nil: they are not awaited
	at       int64            // when it was asked, on the clock of Waiting.Seen; 0: no question is open
	end      time.Time        // when the report does not wait for more
	timedOut bool             // of Step
}

// silent tells whether a rank of this node has not answered: it waits and has said nothing since, or runs and has not
// said for what it polls.
func (q *question) silent(ranks *roster.Table, root *job.Root) bool {
	for i, pid := range ranks.Pids() {
		rank := ranks.Number(i)
		if pid == 0 || root.Gone(rank) || root.State(rank) != job.StateInit {
			continue
		}
		a, waits := root.Waiting(rank)
		if waits && a.Seen < q.at || !waits && root.Polls(rank).Op == job.OpNone {
			return true
		}
	}
	return false
}
