package launcher

import (
	"syscall"

	"github.com/gopvas/gopvas/launcher/internal/fate"
)

// The files of the supervisor call down, from run.go to events.go. One call goes up: serve, during and await in
// events.go call next, which calls the handlers of all events.

// next waits for one event and handles it. It returns true if the event is that
// done has been closed.
func (s *supervisor) next(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-s.childEnd:
		s.reap()
		s.attend()
	case sig := <-s.job.Signals:
		s.received(sig)
	case <-s.timeout:
		s.timeout = nil
		if !s.over() {
			s.act(s.watch.Ask(true))
		}
	case <-s.watch.AnswersDue():
		s.act(s.watch.Answers())
	case <-s.watch.LookDue():
		s.act(s.watch.Look(s.fate.Starting || s.over()))
	case event := <-s.posted:
		event()
	case <-s.watch.PlacesDue():
		s.act(s.watch.PlacesLate())
	case <-s.grace.over:
		if !s.grace.goOn(s.ranks) {
			s.fate.GraceOver()
		}
	case err := <-s.io.Failed():
		s.fate.OutputFailed(err)
	case o := <-s.job.Part.Next():
		s.obey(o)
	case <-s.cancelled:
		s.cancelled = nil
		s.givenUp = s.phase == draining
		s.fate.Kill(fate.CodeSignal + int(syscall.SIGKILL))
	case <-s.razing:
		s.razeLate()
	case <-s.deadline:
		s.late()
	}
	s.cutShort()
	if s.desk != nil && (s.over() || s.ranks.Alive() == 0) {
		s.desk.Others.GiveUp()
	}
	return false
}

// cutShort ends a request that the host does not answer when nobody needs it any
// more.
func (s *supervisor) cutShort() {
	if s.starter.control != nil && s.over() && (s.fate.Killed && s.razing == nil || s.ranks.Alive() == 0) {
		s.starter.control.Interrupt()
	}
	if s.fate.Killed && s.phase == working && s.deadline == nil {
		s.awaitKilled()
	}
}
