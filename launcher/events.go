package launcher

import (
	"time"

	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// The goroutine of Run waits in one place, next. That ends at every event: the
// end of a child, of the grace time, of ctx, or of a call that the goroutine has begun; a
// signal; the time-out; an output that takes no more. The goroutine therefore makes
// no call that may block: a request to the host, the start of a program, a hold, or
// the last output. Such a call runs on a goroutine of its own (during, await). A message
// runs in a queue.
//
//	          next <---- SIGCHLD, signals, timers, ctx, output
//	start:    await(host) -> await(BTL) -> await(memory) -> await(rank 0) -> ...
//	run:      serve until no rank lives
//	sweep:    kill and reap the processes left, for fate.KillTime at most without progress
//	finish:   during(drain); INT, TERM and HUP end it.
//
// When the fate of the job has been decided, nothing more is begun. Requests to the
// host end as soon as no rank needs time to end: await returns host.ErrOver.
// Killed processes have fate.KillTime to vanish, and longer as long as they come nearer to their ends.

// firstLook is when processes that have been killed are looked at. By then most jobs are over. A look takes the longer
// the more processes the node has.
const firstLook = fate.KillTime / 10

// awaitKilled gives killed processes their time to vanish. A leader that knows of it waits, too.
func (s *supervisor) awaitKilled() {
	s.deadline, s.left = time.After(firstLook), nil
	s.tellKilled()
}

func (s *supervisor) tellKilled() {
	if s.job.Part != nil {
		s.job.Part.Tell(part.Note{Killed: true})
	}
}

// late is called when the time of killed processes, or of the last output, is over. It begins again as long as the
// processes come nearer to their ends.
func (s *supervisor) late() {
	if s.phase == draining {
		s.givenUp = true
		return
	}
	before, now := s.left, s.Left()
	s.left = &now
	if before == nil {
		s.deadline = time.After(fate.KillTime - firstLook)
		return
	}
	s.deadline = time.After(fate.KillTime)
	s.tellKilled()
	if s.givenUp = !now.Less(*before); !s.givenUp {
		s.io.Say("killed, but not ended after %v: %d processes, which give their memory back: it waits for them",
			fate.KillTime, now.Processes)
	}
}

// serve handles events until ok, or until it is time to give up.
func (s *supervisor) serve(ok func() bool) {
	for !ok() && !s.givenUp {
		s.next(nil)
	}
}

// during runs f, which may block, and handles events until f has returned. It
// returns false if f was given up; f then still runs.
func (s *supervisor) during(f func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	for !s.givenUp {
		if s.next(done) {
			return true
		}
	}
	return false
}

// meanwhile runs a step, and handles events until that has returned. The error is host.ErrOver where the fate of the
// job has been decided before, or the step was given up.
func meanwhile[T any](s *supervisor, step func() (T, error)) (T, error) {
	var none, value T
	var err error
	s.takeSignals()
	if s.over() || !s.during(func() { value, err = step() }) {
		return none, host.ErrOver
	}
	return value, err
}

// await is meanwhile for a step of the start, which the host does. The error is host.ErrOver also where the fate of the
// job was decided meanwhile, and the step was not done.
func await[T any](s *supervisor, step func() (T, error)) (T, error) {
	var none T
	value, err := meanwhile(s, step)
	if err == nil {
		return value, nil
	}
	if s.host != 0 && connectionLost(err) {
		s.serve(func() bool { return s.hostEnd != nil }) // which says why
	}
	if s.over() {
		return none, host.ErrOver
	}
	return none, err
}

// takeSignals handles the signals that are there, so that none which came before
// a step is seen after it.
func (s *supervisor) takeSignals() {
	for {
		select {
		case sig := <-s.job.Signals:
			s.received(sig)
		default:
			return
		}
	}
}
