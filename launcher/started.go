package launcher

import (
	"syscall"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
)

// What follows when the host or a rank has been started.

// watchGuest posts the end of the guest. Its process ID stays its own until its parent has waited for it, and this
// process learns of the end as early as the parent.
func (s *supervisor) watchGuest() {
	root, pid := s.memory.Root(), s.ranks.Guest()
	go func() {
		err := sys.AwaitExit(pid)
		s.post(func() {
			if err != nil {
				s.io.Say("rank 0 cannot be watched: %v", err)
			}
			e := host.Exit{Pid: pid}
			if root.State(0) != job.StateFinal {
				e.Status = fate.Unfinished
			}
			s.reaping(e.Pid)
			s.ended(e)
		})
	}()
}

func (s *supervisor) hostStarted(h host.Started) {
	s.host, s.starter.control = h.Pid, h.Control
	s.job.logf("space host is pid %d, guard is pid %d", s.host, h.Guard)
	for _, pid := range []int{h.Pid, h.Guard} {
		if _, gone := s.ranks.Early(pid); !gone {
			s.Knows(pid)
		}
	}
	if e, gone := s.ranks.Early(s.host); gone {
		s.ended(e)
	}
}

func (s *supervisor) rankStarted(p process) {
	if e, gone := s.ranks.Started(p.rank, p.pid, p.at); gone {
		s.ended(e)
		return
	}
	s.fate.Fresh(func(sig syscall.Signal) { s.ranks.SignalOne(p.pid, sig) })
}

// startOf returns the step that starts one rank.
func (s *supervisor) startOf(rank int) func() (process, error) {
	s.ranks.ForgetEarly()
	if pid := s.ranks.Guest(); pid != 0 && rank == 0 { // it runs
		s.watchGuest()
		return func() (process, error) { return process{pid: pid}, nil }
	}
	seat := s.ranks.Seat(rank)
	return func() (process, error) { return s.starter.startRank(seat) }
}
