package wait

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

// block is what a root block has of one rank.
type block struct {
	reports atomic.Uint32
	waits   []job.Waiting // none: the rank does not wait
	answer  job.Answer
	polls   []uint32
}

func (b *block) ReportCounter() *atomic.Uint32              { return &b.reports }
func (b *block) SetPolls(_ int, report uint32, _ job.Polls) { b.polls = append(b.polls, report) }
func (b *block) SetWaiting(_ int, w job.Waiting)            { b.waits = []job.Waiting{w} }
func (b *block) ClearWaiting(int)                           { b.waits = nil }
func (b *block) Answer(_ int, a job.Answer)                 { b.answer = a }

func newNotice() (*Notice, *block) {
	n, b := &Notice{}, &block{}
	n.Init(b, 3)
	n.OtherThreads(func() bool { return false })
	return n, b
}

// A wait is told once, again when there is more to tell, and no more when it is over.
func TestNotice(t *testing.T) {
	n, b := newNotice()
	var w, other Said
	n.Announce(&w, job.Waiting{Op: job.OpRecv, Tag: 5}, false, 7)
	require.Len(t, b.waits, 1)
	require.EqualValues(t, 5, b.waits[0].Tag)
	require.False(t, b.waits[0].Others)
	require.True(t, n.Announced(&w))
	require.False(t, n.Announced(&other))
	require.False(t, n.Stale(7))
	require.True(t, n.Stale(8))

	refusal := "Bcast: no such root"
	forget := n.NoteRefusal(&refusal)
	n.Say(job.Waiting{Op: job.OpRecv}, true, 8)
	require.Equal(t, refusal, b.waits[0].Refused)
	require.True(t, b.waits[0].Others, "somebody may end it of whom nothing is known")
	require.False(t, b.waits[0].Threads)
	forget()
	n.OtherThreads(func() bool { return true })
	n.Say(job.Waiting{Op: job.OpRecv}, false, 8)
	require.Empty(t, b.waits[0].Refused)
	require.True(t, b.waits[0].Others && b.waits[0].Threads)

	n.Withdraw()
	require.Empty(t, b.waits)
	require.False(t, n.Announced(&w))
}

// An answer holds for one record: who says more withdraws it. The same look is answered again with the moves of now.
func TestAnswer(t *testing.T) {
	n, b := newNotice()
	var w Said
	n.Announce(&w, job.Waiting{}, false, 0)
	require.False(t, n.Answered(4))
	n.Answer(4, 10)
	require.True(t, n.Answered(4))
	first := b.answer
	require.EqualValues(t, 4, first.Look)
	n.Answer(4, 10)
	require.Equal(t, first, b.answer, "nothing has moved")
	n.Moved(2)
	n.Answer(4, 11)
	require.Equal(t, first.Moves+3, b.answer.Moves)

	n.Say(job.Waiting{}, false, 11)
	require.Zero(t, b.answer)
	require.False(t, n.Answered(4))
}

// A report wants the place of the call, and what the rank polls for, once.
func TestReports(t *testing.T) {
	n, b := newNotice()
	require.False(t, n.PollsDue())
	b.reports.Add(1)
	require.True(t, n.PollsDue())
	n.SetPolls(job.Polls{})
	require.False(t, n.PollsDue())
	require.Equal(t, []uint32{1}, b.polls)

	require.False(t, n.PlaceDue(), "it does not wait")
	var w Said
	n.Announce(&w, job.Waiting{}, false, 0)
	require.True(t, n.PlaceDue())
	n.SetPlace("main.go:5 main.main")
	n.Say(job.Waiting{}, false, 0)
	require.Equal(t, "main.go:5 main.main", b.waits[0].Source)
	require.False(t, n.PlaceDue())

	n.Announce(&w, job.Waiting{}, false, 0)
	require.Empty(t, b.waits[0].Source, "this is another wait")
}

// What a context is a part of completes what is said, until it ends.
func TestExplain(t *testing.T) {
	n, _ := newNotice()
	n.Explain(9, func(w *job.Waiting) { w.Call = "comm split" })
	w := job.Waiting{Context: 9}
	n.Complete(&w)
	require.Equal(t, "comm split", w.Call)
	n.Explain(9, nil)
	w = job.Waiting{Context: 9}
	n.Complete(&w)
	require.Empty(t, w.Call)
}
