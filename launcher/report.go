package launcher

import (
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/launcher/internal/hang"
)

// sayHang prints the report of the ranks as they stand now, or has the leader of several nodes
// do that. Programs that have not called Init, or never will, are not known here.
func (s *supervisor) sayHang() {
	switch {
	case s.job.Part != nil:
		s.tellDoing(0)
		return
	case s.memory == nil:
		s.io.say("no rank has been started yet")
		return
	}
	s.report(s.memory.Root().Snapshot(), nil)
}

// report prints the report of the ranks, and writes it to the file that is asked for. proof is nil if nothing is
// proved.
func (s *supervisor) report(views []job.View, proof *job.Proof) {
	who := make([]hang.Rank, s.size)
	for rank, v := range views {
		who[rank] = hang.Rank{
			World: hang.OfWorld(s.ranks.World(rank), rank), Pid: s.ranks.Pid(rank), Program: s.app(rank).Program,
			Stopped: hang.Stopped(s.ranks.Pid(rank)),
			Place:   hang.PlaceOf(&v, s.placing.known[hang.Call{Pid: s.ranks.Pid(rank), Address: v.Place()}]),
		}
	}
	hang.Tell(views, who, proof, s.job.HangFile, s.io.say, &s.messages)
}
