package launcher

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/cause"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// The end of a child: of a rank, of the host, or of a process that a rank has left. A world may end apart from the
// others.

// reap takes the status of every child that has ended. They are not handled in the
// order in which they come, which is not that of their ends: one that was killed may
// be why others have ended, not the other way round.
func (s *supervisor) reap() {
	var list []host.Exit
	var err error
	for {
		var e host.Exit
		if e, err = s.NextExit(s.reaping); err != nil || e.Pid == 0 {
			break
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b host.Exit) int { return suspicion(b, s.host) - suspicion(a, s.host) })
	for _, e := range list {
		s.ended(e)
	}
	if errors.Is(err, syscall.ECHILD) && s.ranks.Alive() > 0 {
		s.lose()
	}
}

// reaping tells the ranks that a pid will be free. MarkGone comes later, when the order of the ends is known.
func (s *supervisor) reaping(pid int) {
	if s.memory != nil {
		s.memory.Root().Reaping(pid)
	}
}

// suspicion is higher for an end that is more likely the cause of others at the same
// time. A process that dumps core may take those with it that share its memory. So
// does a process that the kernel kills when memory has run out.
func suspicion(e host.Exit, hostPid int) int {
	switch {
	case e.Status.Signaled() && e.Status.Signal() != syscall.SIGKILL:
		return 3
	case e.Pid == hostPid:
		return 2
	case e.Status.Signaled():
		return 1
	}
	return 0
}

// lose is called when this process has no child though ranks live: somebody else
// in it has waited for them.
func (s *supervisor) lose() {
	for _, rank := range s.ranks.Lost() {
		pid := s.ranks.Pid(rank)
		s.markGone(rank)
		s.tellEnd(rank, pid, 0, s.memory.Root().State(s.number(rank)))
		s.fate.RankLost(s.number(rank), pid, s.app(rank).Program)
	}
}

// markGone tells the ranks that one has ended. In a part of a job the leader hears of it first, and tells all nodes,
// this one too. Else a rank that is told might end, and the leader hear of that end before: it would blame the wrong
// rank.
func (s *supervisor) markGone(rank int) {
	if s.job.Part == nil {
		s.memory.Root().MarkGone(s.number(rank))
		s.desk.Others.Ends(rank)
	}
}

// ended is called for every child that has been reaped.
func (s *supervisor) ended(e host.Exit) {
	if e.Pid == s.host {
		s.hostEnd = &e.Status
		if s.phase == working {
			s.fate.HostDied(e.Pid, e.Status)
			s.sayIf("%s", s.causes.OfKill(e.Status))
		}
		return
	}
	rank, known := s.ranks.Ended(e)
	if !known {
		return
	}
	root := s.memory.Root()
	state := root.State(s.number(rank))
	outlives, apart := s.outlives(rank, e.Status, state), s.apart(rank, e.Status, state)
	if apart {
		root.SetState(s.number(rank), job.StateFinal) // its end concerns no rank of another world
	}
	s.markGone(rank)
	s.desk.Gone(s.number(rank), s.fate.Named(s.number(rank), e.Pid, s.app(rank).Program, fate.Describe(e.Status)))
	// Its report comes before ours.
	if (!s.failed || outlives) && (e.Status != 0 || state == job.StateInit || state == job.StateAborted) {
		s.failed = true
		tell := &s.io.Queue
		if s.job.Part != nil {
			tell = &s.ends
		}
		tell.Put(func() { s.io.LastWords(s.number(rank)) })
	}
	s.tellEnd(rank, e.Pid, e.Status, state)
	if outlives {
		_ = sys.Kill(-e.Pid, syscall.SIGKILL) // what it has started; an error: nothing is left
	}
	if sys.Kill(-e.Pid, 0) != nil { // nobody is left in the group: its number may be used again
		s.starter.control.Note(host.Request{Forget: e.Pid})
	}
	s.job.logf("rank %d (pid %d) %s", s.number(rank), e.Pid, fate.Describe(e.Status))
	if s.app(rank).Time {
		s.io.Say("rank %d: real %.2f s, user %.2f s, system %.2f s", s.number(rank),
			time.Since(s.ranks.Began(rank)).Seconds(), e.Used.User.Seconds(), e.Used.System.Seconds())
	}
	if outlives {
		s.outlive(rank, e, state)
		return
	}
	failed := s.fate.Failure
	if apart {
		s.endWorld(rank, e, state)
		return
	}
	asked := s.leaderDecides(e.Status, state)
	if !asked {
		s.fate.RankEnded(s.number(rank), e.Pid, s.app(rank).Program, e.Status, state)
	}
	if asked || s.fate.Failure != failed {
		s.explain(rank, e)
	}
}

// outlives tells whether the job goes on after the end of a rank: it has failed, and the job survives that. It does
// when all ranks that it began with are in it. A rank that ends the job by Abort is none that has failed, nor is one
// that has called Finalize.
func (s *supervisor) outlives(rank int, status syscall.WaitStatus, state job.State) bool {
	return s.job.Settings.Survive && state != job.StateAborted && state != job.StateFinal &&
		s.fate.Fails(status, state) && (s.ranks.World(rank).Number != 0 || s.allJoined())
}

// outlive notes the failure of a rank that the job outlives.
func (s *supervisor) outlive(rank int, e host.Exit, state job.State) {
	s.fate.Outlived(&fate.Failure{Rank: s.number(rank), Pid: e.Pid, Program: s.app(rank).Program,
		Status: e.Status, State: state})
	s.explain(rank, e)
}

// allJoined tells whether all ranks that the job began with have joined it.
func (s *supervisor) allJoined() bool {
	root := s.memory.Root()
	for rank := range root.World(0).Size {
		if root.State(rank) == job.StateNone {
			return false
		}
	}
	return true
}

// explain says what is behind the end of a rank, as far as that is known.
func (s *supervisor) explain(rank int, e host.Exit) {
	shared := s.starter.btl == job.BTLPvas
	s.sayIf("%s", s.causes.OfKill(e.Status))
	s.sayIf(fmt.Sprintf("rank %d: %%s", s.number(rank)), cause.Core(cause.Process{Pid: e.Pid, Status: e.Status,
		Dir: s.app(rank).Dir, Began: s.ranks.Began(rank), Shared: shared}))
	if shared {
		s.sayIf("%s", cause.InSpace(s.host))
	}
}

// sayIf says a text in a message, unless it is empty.
func (s *supervisor) sayIf(format, text string) {
	if text != "" {
		s.io.Say(format, text)
	}
}

// apart tells whether only the rank's own world must end: the rank fails, and its world is connected to no other one,
// or it was told to end for that reason. On one node of several the leader decides.
func (s *supervisor) apart(rank int, status syscall.WaitStatus, state job.State) bool {
	if s.ranks.Ending(rank) || s.job.Part != nil || s.job.Settings.Survive {
		return s.ranks.Ending(rank)
	}
	return s.ranks.Several() && s.fate.Fails(status, state) && !s.memory.Root().Linked(s.ranks.World(rank))
}

// endWorld ends the rest of a world after the end of a rank that apart has told of.
func (s *supervisor) endWorld(rank int, e host.Exit, state job.State) {
	if s.ranks.Ending(rank) {
		return
	}
	others := s.endRanksOf(s.ranks.World(rank))
	s.fate.WorldFailed(&fate.Failure{Rank: rank, Pid: e.Pid, Program: s.app(rank).Program, Status: e.Status,
		State: state}, others)
}

// endRanksOf ends the ranks of a world, and returns how many there are.
func (s *supervisor) endRanksOf(w job.World) (others int) {
	if others = s.ranks.EndWorld(w); others > 0 {
		time.AfterFunc(fate.GraceTime, func() { s.post(func() { s.ranks.KillWorld(w) }) })
	}
	return others
}

// leaderDecides tells whether the end of a rank is a failure of which the leader has to say what it means: one of
// several worlds may end alone.
func (s *supervisor) leaderDecides(status syscall.WaitStatus, state job.State) bool {
	return s.job.Part != nil && s.ranks.Several() && s.fate.Fails(status, state)
}

// tellEnd tells the leader that a rank of this node has ended.
func (s *supervisor) tellEnd(rank, pid int, status syscall.WaitStatus, state job.State) {
	if s.job.Part == nil {
		return
	}
	note := part.Note{Ended: &part.RankEnd{Rank: s.number(rank), Pid: pid, State: state, Status: status}}
	s.ends.Put(func() { s.job.Part.Tell(note) })
}
