package launcher

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// The start of worlds that are added to the job.

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
	for i, of := range l.Instead {
		job.SetPlace(root, w.First+i, of.Place)
	}
	s.desk.Others.Grown()
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

// findLate finds the programs of a world's ranks here, and looks whether they can be started. It may block. The apps
// are there from now on, also if another node has not found its own.
func (s *supervisor) findLate(l *part.Late) error {
	late, err := await(s, func() ([]latecomer, error) { return s.starter.lookForLate(l) })
	if err != nil {
		return err
	}
	s.lateApps = make([]int, len(l.Commands))
	for _, c := range late {
		s.lateApps[c.command] = len(s.apps)
		s.job.Apps, s.apps, s.List = append(s.job.Apps, c.app), append(s.apps, c.host), append(s.List, c.prog)
	}
	return nil
}
