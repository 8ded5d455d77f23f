package launcher

import (
	"slices"

	"github.com/gopvas/gopvas/internal/trace/symbol"
)

// The lookout of one node of several. The agent tells the leader how many ranks have waited for long, and asks the
// ranks when the leader orders a look. Orders arrive in the order in which the leader has sent them. So a rank that is
// asked was told before of each address and each end of a rank that the leader knew.

// tellWaiting tells the leader how many ranks have waited for long, if that has changed.
func (s *supervisor) tellWaiting() {
	if n := len(s.waiting(s.lookout.after)); n != s.toldWaiting {
		s.toldWaiting = n
		s.job.part.tell(note{Waiting: &n})
	}
}

// beginLook begins a look of the leader. tellDoing tells the answers later.
func (s *supervisor) beginLook(number uint32) {
	if s.memory == nil || s.placing.then != nil {
		return // no ranks, or see look: the leader gives the look up when its time is over
	}
	s.lookout.ask()
	s.lookout.number = number
	s.memory.Root().Look(number, s.waiting(s.lookout.after))
}

// tellDoing tells the leader what the ranks do, and which look they have answered.
func (s *supervisor) tellDoing(look uint32) {
	d := &doing{Records: s.records(), Pids: slices.Clone(s.pids), Places: make([]symbol.Place, len(s.pids)),
		Look: look, Watched: s.watched()}
	for _, pid := range s.pids {
		d.Stopped = append(d.Stopped, stopped(pid))
	}
	for _, c := range d.Records {
		rank := c.Rank - s.job.first()
		d.Places[rank] = s.placing.known[callAt{s.pids[rank], max(c.Waiting.Place, c.Polls.Place)}] // one is 0
	}
	s.job.part.tell(note{Doing: d})
}
