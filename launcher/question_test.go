package launcher

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/trace/symbol"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/hang"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// The question what the ranks do is an event of the supervisor: it waits for no rank. A rank that polls answers; what
// was to follow the report does so once.
func TestQuestionToRanksThatPoll(t *testing.T) {
	m, err := job.InHeap(job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 1})
	require.NoError(t, err)
	told, followed := 0, 0
	here := &part.Part{Ranks: []int{0, 1}, Tell: func(n part.Note) { told += len(n.Doing.Pids) }}
	s := &supervisor{
		plan:   &plan{job: &Job{Part: here}, size: 2},
		memory: m, ranks: rosterOf(2, 1),
	}
	root := m.Root()
	root.SetState(0, job.StateInit)
	s.askHang(func() { followed++ })
	require.NotNil(t, s.asked.tick, "rank 0 has not said for what it polls")
	s.askHang(func() { followed++ })
	<-s.asked.tick
	s.awaitPolls()
	require.NotNil(t, s.asked.tick)
	require.Zero(t, told)
	p := job.Polls{Operation: job.Operation{Op: job.OpRecv, Peer: 1, Tag: 5, Bytes: 9}, Call: "test",
		Source: "a.go:7 main.f"}
	for tag := range int32(6) {
		p.Add(job.Operation{Op: job.OpSend, Peer: 1, Tag: tag, Bytes: 1})
	}
	root.SetPolls(0, root.ReportCounter().Load(), p)
	<-s.asked.tick
	s.awaitPolls()
	require.Nil(t, s.asked.tick)
	require.Equal(t, 2, told)
	require.Equal(t, 2, followed)
	require.Equal(t, p, root.Polls(0))
	require.Equal(t, "polls by test (main.f at a.go:7) for a recv: rank 1, tag 5, 9 bytes; 6 more open: "+
		"a send: rank 1, tag 0, 1 bytes; a send: rank 1, tag 1, 1 bytes; a send: rank 1, tag 2, 1 bytes; a send: "+
		"rank 1, tag 3, 1 bytes; 2 more",
		hang.DescribePolls(p, hang.InParentheses(hang.PlaceOf(&root.Snapshot()[0], symbol.Place{}))))
}

// When the time is over, a job that already ends is not asked what its ranks do.
func TestTimeoutOfAJobThatEnds(t *testing.T) {
	for _, ends := range []bool{false, true} {
		late := make(chan time.Time, 1)
		late <- time.Now()
		s := &supervisor{plan: &plan{job: &Job{Timeout: time.Second}}, events: events{timeout: late}}
		s.fate = fate.Fate{Ending: ends, Effects: fate.Effects{Say: func(string, ...any) {}}}
		s.asked.at = 1 // a question is open already: askHang only adds to it
		require.False(t, s.next(nil))
		require.Equal(t, ends, len(s.asked.then) == 0)
	}
}
