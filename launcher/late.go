package launcher

import (
	"fmt"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/neighbour"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// Worlds that are added to the job: their start after their programs were found, and their end apart from the others.

// takeStep takes a step of the start of a world, as the leader has ordered. It may handle other events meanwhile.
func (s *supervisor) takeStep(l *part.Late) {
	var err error
	switch l.Step {
	case part.Find:
		err = s.findLate(l)
	case part.Know:
		err = s.expect(l)
	case part.Begin:
		err = s.begin(l)
	case part.Drop:
		s.dropWorld(l.World)
	}
	done := &part.LateDone{Step: l.Step}
	if err != nil {
		done.Err = err.Error()
	}
	s.ends.Put(func() { s.job.Part.Tell(part.Note{Late: done}) })
}

// expect makes the world known to the ranks of this node, and makes places for those of its ranks that come here.
func (s *supervisor) expect(l *part.Late) error {
	root := s.memory.Root()
	if root.Ranks() != l.World.First {
		return fmt.Errorf("this node has missed ranks that were started, and takes no more: it knows %d of %d; "+
			"start the job again", root.Ranks(), l.World.First)
	}
	w, err := root.AddWorld(l.World.Size, l.World.Parent, l.World.Number, l.Nodes...)
	if err != nil {
		return err
	}
	s.desk.Others.Tell(neighbour.Message{Ranks: w.First + w.Size})
	var apps []int
	for i, node := range l.Nodes {
		if node != s.node() {
			continue
		}
		apps = append(apps, s.lateApps[l.Command(i)])
		if s.job.Part != nil {
			s.job.Part.Ranks = append(s.job.Part.Ranks, w.First+i)
		}
	}
	first := s.size
	s.grow(apps)
	s.ranks.Add(w, len(apps))
	for i, d := range s.domains(first) {
		root.SetDomains(s.number(first+i), []job.Domain{d})
	}
	return nil
}

// begin starts the ranks of the world here.
func (s *supervisor) begin(l *part.Late) error {
	for _, rank := range s.ranks.Here(l.World) {
		p, err := await(s, s.startOf(rank))
		if err != nil {
			s.dropWorld(l.World)
			return fmt.Errorf("start rank %d, %s: %w", s.number(rank), s.app(rank).Program, err)
		}
		s.rankStarted(p)
	}
	return nil
}

// dropWorld ends the ranks of a world that could not be started as a whole.
func (s *supervisor) dropWorld(w job.World) {
	root := s.memory.Root()
	for _, rank := range s.ranks.Drop(w) {
		root.SetState(s.number(rank), job.StateFinal)
		s.markGone(rank)
		s.tellEnd(rank, 0, 0, job.StateFinal)
	}
}

// apart tells whether the end of a rank concerns no other world: it fails, and its world is connected to none, or it
// was told to end for that reason. On one node of several the leader decides.
func (s *supervisor) apart(rank int, status syscall.WaitStatus, state job.State) bool {
	if s.ranks.Ending(rank) || s.job.Part != nil {
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

// idle tells whether nothing is left to do: no rank lives, and in a job on several nodes that may get more ranks the
// leader has said that it gets none, or the job is ending.
func (s *supervisor) idle() bool {
	if s.ranks.Alive() > 0 {
		return false
	}
	p := s.job.Part
	return p == nil || p.Places <= s.job.Total() || s.dismissed || s.over()
}
