package launcher

import (
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/internal/trace/symbol"
	"github.com/gopvas/gopvas/launcher/internal/hang"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// The supervisor of a part of a job tells the leader where its ranks are reached, what they do and how they end.

// tellEnd tells the leader that a rank of this node has ended.
func (s *supervisor) tellEnd(rank, pid int, status syscall.WaitStatus, state job.State) {
	if s.job.Part == nil {
		return
	}
	note := part.Note{Ended: &part.RankEnd{Rank: s.number(rank), Pid: pid, State: state, Status: status}}
	s.ends.Put(func() { s.job.Part.Tell(note) })
}

// records returns the records of the ranks here from the root block.
func (s *supervisor) records() (list []job.Record) {
	if s.memory == nil {
		return nil
	}
	now := time.Duration(sys.Monotonic())
	for rank := range s.size {
		list = append(list, s.memory.Root().Record(s.number(rank), now))
	}
	return list
}

// The lookout of one node of several: the agent tells the leader how many ranks have waited for long.

// tellWaiting tells the leader how many ranks have waited for long, if that has changed.
func (s *supervisor) tellWaiting() {
	if n := len(s.waiting(s.lookout.After)); n != s.toldWaiting {
		s.toldWaiting = n
		s.job.Part.Tell(part.Note{Waiting: &part.Waits{Ranks: n}})
	}
}

// tellDoing tells the leader what the ranks do, and which look they have answered.
func (s *supervisor) tellDoing(look uint32) {
	d := &part.Doing{Records: s.records(), Pids: s.ranks.Pids(), Places: make([]symbol.Place, s.ranks.Size()),
		Look: look, Watched: s.watched()}
	for _, pid := range d.Pids {
		d.Stopped = append(d.Stopped, hang.Stopped(pid))
	}
	for rank, c := range d.Records {
		call := hang.Call{Pid: d.Pids[rank], Address: max(c.Waiting.Place, c.Polls.Place)} // one is 0
		d.Places[rank] = s.placing.known[call]
	}
	s.job.Part.Tell(part.Note{Doing: d})
}
