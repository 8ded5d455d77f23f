package wait

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/shm"
)

// Job is what a notice needs of the job. A rank writes only about itself.
type Job interface {
	ReportCounter() *atomic.Uint32
	SetPolls(rank int, report uint32, p job.Polls)
	SetWaiting(rank int, w job.Waiting)
	ClearWaiting(rank int)
	Answer(rank int, a job.Answer)
}

// Notice is what the root block tells the hang report and the supervisor of one wait of the rank: the one that was
// announced.
type Notice struct {
	job     Job
	rank    int
	reports *atomic.Uint32                // grows with each report that is asked for
	polled  uint32                        // the last report that was told what the rank polls for
	placed  uint32                        // the last one for which the place of a call that waits was found
	look    uint32                        // the look of the supervisor that was answered; 0: there is none
	moves   uint32                        // see job.Answer; completions are counted apart
	said    *Said                         // of the waiter that was announced; nil: none
	explain map[uint32]func(*job.Waiting) // by context; see Explain
	others  func() bool                   // see OtherThreads
	refused atomic.Pointer[string]        // see NoteRefusal
}

// Said is what a notice knows of a waiter.
type Said struct {
	since  int64  // when it was announced
	source string // the call of the program, if a report has asked for it and it is known
	at     uint64 // the completions when it was described last
}

// Init prepares the notice of a rank.
func (n *Notice) Init(j Job, rank int) {
	n.job, n.rank, n.reports, n.explain = j, rank, j.ReportCounter(), map[uint32]func(*job.Waiting){}
}

// PollsDue tells whether a report was asked for that was not told what the rank polls for.
func (n *Notice) PollsDue() bool { return n.reports.Load() != n.polled }

// SetPolls tells the report what the rank polls for.
func (n *Notice) SetPolls(p job.Polls) {
	n.polled = n.reports.Load()
	n.job.SetPolls(n.rank, n.polled, p)
}

// Moved counts what the rank has done for others.
func (n *Notice) Moved(times int) { n.moves += uint32(times) }

// Announced tells whether the wait of a waiter is the one that was announced.
func (n *Notice) Announced(w *Said) bool { return w == n.said }

// Announce says what a waiter waits for. It replaces a wait that was announced before, which may be about to end.
func (n *Notice) Announce(w *Said, say job.Waiting, unseen bool, completions uint64) {
	n.moves++
	n.said, w.since, w.source = w, sys.Monotonic(), ""
	n.Say(say, unseen, completions)
}

// Withdraw says no more that the rank waits.
func (n *Notice) Withdraw() {
	n.moves++
	n.said = nil
	n.job.ClearWaiting(n.rank)
}

// Stale tells whether something was completed since the wait was described.
func (n *Notice) Stale(completions uint64) bool { return n.said.at != completions }

// Say describes the wait that was announced. unseen: something that this rank knows nothing of may end the wait. An
// answer belongs to the record before this one, so Say withdraws it first.
func (n *Notice) Say(say job.Waiting, unseen bool, completions uint64) {
	if n.look != 0 {
		n.look = 0
		n.job.Answer(n.rank, job.Answer{})
	}
	n.said.at, say.Since, say.Seen = completions, n.said.since, sys.Monotonic()
	say.Source = n.said.source
	if text := n.refused.Load(); text != nil {
		say.Refused = *text
	}
	say.Threads = !unseen && n.mayEnd()
	say.Others = unseen || say.Threads
	n.job.SetWaiting(n.rank, say)
}

// mayEnd tells whether another goroutine or thread of the program may end a wait.
func (n *Notice) mayEnd() bool {
	if n.others != nil {
		return n.others()
	}
	return shm.Others()
}

// PlaceDue tells whether a report was asked for since the place of the wait was looked for.
func (n *Notice) PlaceDue() bool { return n.said != nil && n.reports.Load() != n.placed }

// SetPlace notes where the program's call is; "": that is not known. Say then tells the report.
func (n *Notice) SetPlace(source string) {
	n.placed = n.reports.Load()
	if source != "" {
		n.said.source = source
	}
}

// Answered tells whether a look of the supervisor was answered. Then the record was written for it, too.
func (n *Notice) Answered(look uint32) bool { return n.look == look }

// Answer answers a look: see job.Answer. A further answer to the same look only updates the moves.
func (n *Notice) Answer(look uint32, completions uint64) {
	n.look = look
	n.job.Answer(n.rank, job.Answer{Look: look, Moves: n.moves + uint32(completions)})
}

// Explain has a function complete what is said of waits in a context. nil ends that.
func (n *Notice) Explain(context uint32, f func(*job.Waiting)) {
	if f == nil {
		delete(n.explain, context)
	} else {
		n.explain[context] = f
	}
}

// Complete calls the function that was given to Explain.
func (n *Notice) Complete(say *job.Waiting) {
	if f := n.explain[say.Context]; f != nil {
		f(say)
	}
}

// OtherThreads sets the function that tells, while a thread waits, whether another thread of the program may end the
// wait: if not, a deadlock can be proved. Without it any goroutine may, and any thread of a program with cgo.
func (n *Notice) OtherThreads(may func() bool) { n.others = may }

// NoteRefusal notes that a call was refused. Say tells so at any later wait, until forget is called or a later refusal
// is noted. NoteRefusal and forget need no lock.
func (n *Notice) NoteRefusal(text *string) (forget func()) {
	n.refused.Store(text)
	return func() { n.refused.CompareAndSwap(text, nil) }
}
