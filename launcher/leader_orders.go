package launcher

import (
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// The supervisor of a part of a job obeys the leader, and tells it where its ranks are reached and how they end.

// joinNodes begins to tell the leader where the ranks of this node are reached. What is
// known of others by then is noted.
func (s *supervisor) joinNodes() {
	if s.job.Part == nil {
		return
	}
	for _, o := range s.unheard {
		s.obey(o)
	}
	s.unheard = nil
	s.told.Go(func() {
		part.FollowAddresses(s.nodesEnd, s.memory.Root(), func(list []part.Address) {
			s.job.Part.Tell(part.Note{Addresses: list})
		})
	})
}

// obey carries out an order of the leader.
func (s *supervisor) obey(o part.Order) {
	switch {
	case o.Kill:
		s.fate.Kill(fate.CodeError)
	case o.End:
		s.fate.End(fate.CodeError)
	case o.Hang:
		s.act(s.watch.Ask(false))
	case o.Look > 0:
		s.watch.BeginLook(o.Look)
	case o.Dismiss:
		s.dismissed = true
	case o.Signal != 0 && s.phase == working:
		s.whenStarted(o.Signal, func() { s.ranks.Signal(o.Signal) })
	case s.memory == nil:
		s.unheard = append(s.unheard, o)
	}
	if s.memory == nil {
		return
	}
	if err := o.News.Note(s.memory.Root()); err != nil {
		s.job.logf("%v", err) // the leader has seen to the room
	}
	s.obeyForWorlds(o)
}

// obeyForWorlds carries out what concerns ranks that are added.
func (s *supervisor) obeyForWorlds(o part.Order) {
	switch {
	case o.Answer != nil:
		s.desk.Reply(o.Answer)
		s.attend()
	case o.Late != nil:
		s.takeStep(o.Late)
	case o.Links != nil:
		s.job.Part.Tell(part.Note{Links: &part.Links{Any: s.memory.Root().Linked(*o.Links)}})
	case o.EndWorld != nil:
		s.endRanksOf(*o.EndWorld)
	}
}
