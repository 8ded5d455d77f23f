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

// A world is one of the job, as this node sees it.
type world struct {
	job.World
	begins int // the first of its ranks here, as the supervisor counts
}

// node is the number of this one.
func (s *supervisor) node() int {
	if s.job.Part == nil {
		return 0
	}
	return s.job.Part.Node
}

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
	s.tellNeighbours(neighbour.Message{Ranks: w.First + w.Size})
	s.worlds = append(s.worlds, world{w, s.size})
	_, here := l.Local(s.node())
	for i, node := range l.Nodes {
		if node != s.node() {
			continue
		}
		s.appOf = append(s.appOf, s.lateApps[l.Command(i)])
		if s.job.Part != nil {
			s.job.Part.Ranks = append(s.job.Part.Ranks, w.First+i)
		}
	}
	first := s.size
	s.size += here
	s.pids = append(s.pids, make([]int, here)...)
	s.began = append(s.began, make([]time.Time, here)...)
	s.add(s.job.Bind, here)
	for i, d := range s.domains(first) {
		root.SetDomains(s.number(first+i), []job.Domain{d})
	}
	return nil
}

// begin starts the ranks of the world here.
func (s *supervisor) begin(l *part.Late) error {
	for rank := s.worlds[l.World.Number].begins; rank < s.size; rank++ {
		clear(s.early) // as in start
		pid, err := await(s, func() (int, error) { return s.startRank(rank) })
		if err != nil {
			s.dropWorld(l.World)
			return fmt.Errorf("start rank %d, %s: %w", s.number(rank), s.app(rank).Program, err)
		}
		s.rankStarted(rank, pid)
	}
	return nil
}

// here are the ranks of a world on this node.
func (s *supervisor) here(w job.World) (ranks []int) {
	for rank := s.worlds[w.Number].begins; rank < s.size && s.world(rank).Number == w.Number; rank++ {
		ranks = append(ranks, rank)
	}
	return ranks
}

// dropWorld ends the ranks of a world that could not be started as a whole.
func (s *supervisor) dropWorld(w job.World) {
	root := s.memory.Root()
	for _, rank := range s.here(w) {
		if s.ending[rank] {
			continue
		}
		s.ending[rank] = true
		if s.pids[rank] == 0 {
			root.SetState(s.number(rank), job.StateFinal)
			s.markGone(rank)
			s.tellEnd(rank, 0, 0, job.StateFinal)
		}
	}
	s.signalWorld(w, syscall.SIGKILL)
}

// signalWorld sends a signal to the process groups of the living ranks of a world, and returns how many there are.
func (s *supervisor) signalWorld(w job.World, sig syscall.Signal) (n int) {
	for pid, rank := range s.alive {
		if s.world(rank).Number == w.Number {
			s.signal(pid, sig)
			n++
		}
	}
	return n
}

// apart tells whether the end of a rank concerns no other world: it fails, and its world is connected to none, or it
// was told to end for that reason. On one node of several the leader decides.
func (s *supervisor) apart(rank int, status syscall.WaitStatus, state job.State) bool {
	if s.ending[rank] || s.job.Part != nil {
		return s.ending[rank]
	}
	return len(s.worlds) > 1 && s.fate.Fails(status, state) && !s.memory.Root().Linked(s.world(rank).World)
}

// endWorld ends the rest of a world after the end of a rank that apart has told of.
func (s *supervisor) endWorld(rank int, e host.Exit, state job.State) {
	if s.ending[rank] {
		return
	}
	others := s.endRanksOf(s.world(rank).World)
	s.fate.WorldFailed(&fate.Failure{Rank: rank, Pid: e.Pid, Program: s.app(rank).Program, Status: e.Status,
		State: state}, others)
}

// endRanksOf ends the ranks of a world, and returns how many there are.
func (s *supervisor) endRanksOf(w job.World) (others int) {
	for _, rank := range s.here(w) {
		s.ending[rank] = true
	}
	others = s.signalWorld(w, syscall.SIGTERM)
	s.signalWorld(w, syscall.SIGCONT)
	if others > 0 {
		time.AfterFunc(fate.GraceTime, func() { s.post(func() { s.signalWorld(w, syscall.SIGKILL) }) })
	}
	return others
}

// leaderDecides tells whether the end of a rank is a failure of which the leader has to say what it means: one of
// several worlds may end alone.
func (s *supervisor) leaderDecides(status syscall.WaitStatus, state job.State) bool {
	return s.job.Part != nil && len(s.worlds) > 1 && s.fate.Fails(status, state)
}

// idle tells whether nothing is left to do: no rank lives, and in a job on several nodes that may get more ranks the
// leader has said that it gets none, or the job is ending.
func (s *supervisor) idle() bool {
	if len(s.alive) > 0 {
		return false
	}
	p := s.job.Part
	return p == nil || p.Places <= s.job.Total() || s.dismissed || s.over()
}
