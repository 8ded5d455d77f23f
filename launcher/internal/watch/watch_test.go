package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/symbol"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/hang"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/roster"
)

// script is a watch of ranks that are records in the root block only. No process has one of these numbers.
type script struct {
	*testing.T
	*Watch
}

const noProcess = 1 << 29

func newScript(t *testing.T, p *part.Part, started, ranks int) script {
	m, err := job.InHeap(job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 1})
	require.NoError(t, err)
	table := roster.New(p, ranks, ranks, 0)
	for rank := range started {
		table.Started(rank, noProcess+rank, time.Now())
	}
	s := script{t, New(table, p != nil, time.Second, true)}
	s.Begin(m.Root())
	return s
}

// waits has ranks wait in calls of C, since a time.
func (s script) waits(since int64) {
	for rank := range s.root.Ranks() {
		s.root.SetState(rank, job.StateInit)
		s.root.SetWaiting(rank, job.Waiting{Op: job.OpRecv, Place: uint64(0x1000 + rank), Since: since})
	}
}

// A rank that polls answers the question; ranks that were not started have nothing to say. The report comes once,
// however often it was asked for, and what is to follow it as well.
func TestQuestionToRanksThatPoll(t *testing.T) {
	s := newScript(t, nil, 1, 2)
	s.root.SetState(0, job.StateInit)
	require.Empty(t, s.Ask(true), "rank 0 has not said for what it polls")
	require.NotNil(t, s.AnswersDue())
	require.Empty(t, s.Ask(false), "the question is open")
	require.Empty(t, s.Answers())
	p := job.Polls{Operation: job.Operation{Op: job.OpRecv, Peer: 1, Tag: 5, Bytes: 9}, Call: "test",
		Source: "a.go:7 main.f"}
	for tag := range int32(6) {
		p.Add(job.Operation{Op: job.OpSend, Peer: 1, Tag: tag, Bytes: 1})
	}
	s.root.SetPolls(0, s.root.ReportCounter().Load(), p)
	steps := s.Answers()
	require.Nil(t, s.AnswersDue())
	require.Len(t, steps, 1)
	require.True(t, steps[0].TimedOut)
	views := steps[0].Report.Views
	require.Len(t, views, 2)
	require.Equal(t, p, views[0].Polls)
	require.Equal(t, "polls by test (main.f at a.go:7) for a recv: rank 1, tag 5, 9 bytes; 6 more open: "+
		"a send: rank 1, tag 0, 1 bytes; a send: rank 1, tag 1, 1 bytes; a send: rank 1, tag 2, 1 bytes; a send: "+
		"rank 1, tag 3, 1 bytes; 2 more",
		hang.DescribePolls(p, hang.InParentheses(hang.PlaceOf(&views[0], symbol.Place{}))))
	require.Empty(t, s.Ask(false))
	require.False(t, s.EndAnswers()[0].TimedOut, "that was asked for once")
}

// A rank that computes does not answer. The report then comes without it.
func TestQuestionToARankThatComputes(t *testing.T) {
	s := newScript(t, nil, 1, 1)
	s.root.SetState(0, job.StateInit)
	require.Empty(t, s.Ask(false))
	require.NotNil(t, s.EndAnswers()[0].Report)
	before := New(roster.New(nil, 1, 1, 0), false, time.Second, true)
	require.Equal(t, []Step{{Report: &Report{}}}, before.Ask(false), "no rank has been started yet")
}

// A report waits for the places of calls, which are read elsewhere. Each is read once, and a report that is asked for
// meanwhile waits, too.
func TestReportsWaitForPlaces(t *testing.T) {
	s := newScript(t, nil, 2, 2)
	s.waits(sys.Monotonic())
	require.Empty(t, s.Ask(false))
	first, second := hang.Call{Pid: noProcess, Address: 0x1000}, hang.Call{Pid: noProcess + 1, Address: 0x1001}
	require.Equal(t, []Step{{Read: []hang.Call{first, second}}}, s.EndAnswers())
	require.True(t, s.Placing())
	require.Empty(t, s.placed(pending{proof: &job.Proof{}}))
	steps := s.Found(map[hang.Call]symbol.Place{first: {Function: "solve"}})
	require.False(t, s.Placing())
	require.Len(t, steps, 2)
	require.Equal(t, symbol.Place{Function: "solve"}, steps[0].Report.Who[0].Place)
	require.NotNil(t, steps[1].Report.Proof)

	require.Empty(t, s.Ask(false))
	require.NotNil(t, s.EndAnswers()[0].Report, "nothing is left to read")
}

// Reports do not wait for ever for files, nor later ones again for the same. What is found late is of use later.
func TestPlacesThatCannotBeRead(t *testing.T) {
	s := newScript(t, nil, 1, 1)
	s.waits(sys.Monotonic())
	s.Ask(false)
	require.Len(t, s.EndAnswers()[0].Read, 1)
	require.NotNil(t, s.PlacesDue())
	require.NotNil(t, s.PlacesLate()[0].Report)
	require.Nil(t, s.PlacesDue())
	s.Ask(false)
	require.NotNil(t, s.EndAnswers()[0].Report)
	call := hang.Call{Pid: noProcess, Address: 0x1000}
	require.Empty(t, s.Found(map[hang.Call]symbol.Place{call: {Function: "late"}}))
	s.Ask(false)
	require.Equal(t, "late", s.EndAnswers()[0].Report.Who[0].Place.Function)
}

// Two ranks receive from each other. The first look finds that plausible, the second one proves it.
func TestDeadlockIsProvedByTwoLooks(t *testing.T) {
	s := newScript(t, nil, 2, 2)
	for rank := range 2 {
		s.root.SetState(rank, job.StateInit)
		s.root.SetWaiting(rank, job.Waiting{Op: job.OpRecv, Peer: int32(1 - rank), Since: 1, Seen: 1})
	}
	require.Empty(t, s.Look(true), "the job is not complete yet")
	require.Zero(t, s.root.Asked())
	require.Empty(t, s.Look(false))
	require.Equal(t, uint32(1), s.root.Asked())
	answer := func() {
		for rank := range 2 {
			s.root.Answer(rank, job.Answer{Look: s.root.Asked()})
		}
	}
	answer()
	require.Empty(t, s.Look(false))
	require.Equal(t, uint32(2), s.root.Asked(), "plausible: ranks are asked again")
	answer()
	steps := s.Look(false)
	require.Len(t, steps, 1)
	require.Equal(t, []int{0, 1}, steps[0].Report.Proof.Ranks)
	require.Nil(t, s.LookDue(), "it is told once")
}

// The agent of a node tells the leader how many ranks wait, if that has changed, and what a look has brought.
func TestNodeOfSeveral(t *testing.T) {
	s := newScript(t, &part.Part{Ranks: []int{0, 1}}, 2, 2)
	require.Empty(t, s.Look(false))
	s.waits(1)
	require.Equal(t, []Step{{Waiting: &part.Waits{Ranks: 2}}}, s.Look(false))
	require.Empty(t, s.Look(false))
	s.BeginLook(7)
	require.Equal(t, uint32(7), s.root.Asked())
	require.NotNil(t, s.Look(false)[0].Read)
	s.BeginLook(8)
	require.Equal(t, uint32(7), s.root.Asked(), "answers to the last look are still to be told")
	doing := s.PlacesLate()[0].Doing
	require.Equal(t, uint32(7), doing.Look)
	require.Len(t, doing.Records, 2)
}

// A leader asks the nodes that have ranks. It reports when the last one has answered or ended, or in time without it.
func TestLeaderAsksAllNodes(t *testing.T) {
	n := newNodes(t)
	now := Now{Live: []int{0, 1}}
	require.Equal(t, []NodeStep{{Ask: []int{0, 1}}}, n.Ask([]int{0, 1}, false))
	require.Empty(t, n.Ask([]int{0, 1}, true), "the question is open")
	require.NotNil(t, n.AnswersDue())
	require.Empty(t, n.Told(0, []int{0}, &part.Doing{Pids: []int{11}, Stopped: []bool{true},
		Places: []symbol.Place{{Function: "solve"}}}, now))
	require.Empty(t, n.Told(0, []int{0}, &part.Doing{}, now), "it has answered already")
	steps := n.Ended(1, now)
	require.Len(t, steps, 1)
	require.True(t, steps[0].TimedOut)
	require.Empty(t, steps[0].Silent)
	require.Equal(t, hang.Rank{Pid: 11, Stopped: true, Place: symbol.Place{Function: "solve"}}, steps[0].Report.Who[0])

	n.Ask([]int{0}, false)
	require.Equal(t, []int{0}, n.EndAnswers()[0].Silent)
	require.Empty(t, n.EndAnswers())
	require.NotNil(t, n.Ask(nil, false)[0].Report, "nobody is there to be asked")
}

// newNodes is the watch of two nodes with a rank each, which wait for each other.
func newNodes(t *testing.T) *Nodes {
	m, err := job.InHeap(job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 1, Nodes: []int{0, 1}})
	require.NoError(t, err)
	n := NewNodes(m.Root(), 2, time.Second, true)
	return &n
}

// Two looks of all nodes prove a deadlock over nodes. A look that a node does not answer is given up.
func TestLeaderProvesADeadlock(t *testing.T) {
	n := newNodes(t)
	now := Now{Live: []int{0, 1}}
	for rank := range 2 {
		n.mirror.SetState(rank, job.StateInit)
		n.mirror.SetWaiting(rank, job.Waiting{Op: job.OpRecv, Peer: int32(1 - rank), Since: 1, Seen: 1})
	}
	require.Empty(t, n.Look(true, 2, 2, now))
	require.Equal(t, []NodeStep{{Ask: []int{0, 1}, Look: 1}}, n.Look(false, 2, 2, now))
	require.Empty(t, n.Look(false, 2, 2, now), "it is given up")
	var steps []NodeStep
	for len(steps) == 0 { // the pause after that
		steps = n.Look(false, 2, 2, now)
	}
	require.Equal(t, uint32(2), steps[0].Look)
	answer := func(look uint32) (steps []NodeStep) {
		for rank := range 2 {
			n.mirror.Answer(rank, job.Answer{Look: look})
			steps = append(steps, n.Told(rank, []int{rank}, &part.Doing{Look: look}, now)...)
		}
		return steps
	}
	require.Empty(t, answer(1), "too late")
	require.Equal(t, []NodeStep{{Ask: []int{0, 1}, Look: 3}}, answer(2), "plausible: all are asked again")
	steps = answer(3)
	require.Len(t, steps, 1)
	require.Equal(t, []int{0, 1}, steps[0].Report.Proof.Ranks)
	require.Nil(t, n.LookDue(), "it is told once")
}
