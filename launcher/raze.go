package launcher

import (
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
)

// To kill the ranks of one address space one by one takes time that grows by the square of their number: at each end
// the kernel looks at the areas of all. So the host stops many, takes their memory away, and kills them then.

const (
	// manyRanks are worth it: fewer ranks end in some milliseconds.
	manyRanks = 64

	// razeTime is what the host has. Then the supervisor kills, as it does without a host: that is slower, no more.
	razeTime = 2 * time.Second
)

// signalRanks sends a signal to all living ranks. Only the first SIGKILL is one for the host: a second
// kill does not wait for it.
func (s *supervisor) signalRanks(sig syscall.Signal) {
	if sig != syscall.SIGKILL || s.killed || !s.canRaze() {
		s.killed = s.killed || sig == syscall.SIGKILL
		s.razing = nil
		s.ranks.Signal(sig)
		return
	}
	s.killed, s.razing = true, time.After(razeTime)
	s.job.logf("the space host kills %d ranks", s.ranks.Alive())
	s.starter.control.Note(host.Request{Raze: true})
}

// canRaze tells whether the host can kill the ranks. While the job is started it may be busy with one of them.
func (s *supervisor) canRaze() bool {
	return s.starter.btl == job.BTLPvas && s.hostEnd == nil && s.memory != nil && !s.fate.Starting &&
		s.phase == working && s.ranks.Guest() == 0 && s.ranks.Alive() >= manyRanks
}

// razeLate kills what the host has not killed.
func (s *supervisor) razeLate() {
	if s.razing = nil; s.ranks.Alive() == 0 {
		return
	}
	s.job.logf("the space host has not killed %d ranks in %v", s.ranks.Alive(), razeTime)
	s.fate.Kill(fate.CodeSignal + int(syscall.SIGKILL))
}
