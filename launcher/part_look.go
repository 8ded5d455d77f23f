package launcher

import "slices"

// The lookout on a node of a job on several: it tells the leader how many ranks have waited for long, and asks them when
// the leader says so. Orders come in the order in which the leader has sent them. So a rank that is asked has been told before of
// all addresses and ends of other ranks that the leader knew of.

// tellWaiting tells the leader how many ranks have waited for long, if that has changed.
func (s *supervisor) tellWaiting() {
	if n := len(s.waiting()); n != s.toldWaiting {
		s.toldWaiting = n
		s.job.part.tell(note{Waiting: &n})
	}
}

// beginLook begins a look of the leader. The answers are told after a while.
func (s *supervisor) beginLook(number uint32) {
	if s.memory == nil {
		return // the leader does not wait for long
	}
	s.lookout.ask()
	s.lookout.number = number
	s.memory.Root().Look(number, s.waiting())
}

// tellDoing tells the leader what the ranks do, and which look they have answered.
func (s *supervisor) tellDoing(look uint32) {
	d := &doing{Records: s.records(), Pids: slices.Clone(s.pids), Look: look, Watched: s.watched()}
	for _, pid := range s.pids {
		d.Stopped = append(d.Stopped, stopped(pid))
	}
	s.job.part.tell(note{Doing: d})
}
