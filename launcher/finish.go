package launcher

import (
	"context"
	"errors"
	"os/signal"
	"time"

	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/output"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// finish passes on the rest of the output and gives everything back. No process
// of the job is left when it is called.
func (s *supervisor) finish(ctx context.Context, err error) (*Result, error) {
	if s.io.Opened() {
		s.ends.Flush()
		if s.memory != nil {
			if s.job.Part != nil && s.job.Part.ReportDevices {
				reportDevices(s.memory.Root(), s.io.Say)
			}
			s.fate.AllEnded(s.memory.Root())
		}
		s.phase, s.givenUp, s.deadline = draining, false, nil
		if ctx.Err() != nil {
			s.deadline = time.After(output.DrainTime)
		}
		s.reportFull()
		s.drain()
		s.io.Close()
	}
	if s.starter.control != nil {
		s.starter.control.Close()
	}
	if s.memory != nil {
		if s.job.Part != nil {
			s.job.Part.Tell(part.Note{Doing: &part.Doing{Records: s.watch.Records()}})
		}
		if s.job.Finished != nil {
			s.job.Finished(s.memory.Root())
		}
		err = errors.Join(err, s.memory.Close())
	}
	if s.host == 0 && err != nil {
		return nil, err
	}
	result := &Result{BTL: s.starter.btl, Reason: s.starter.reason, Code: s.fate.Code, Failure: s.fate.Failure,
		HostPid: s.host}
	if err == nil && ctx.Err() != nil && s.fate.Killed {
		err = context.Cause(ctx)
	}
	if err != nil {
		result.Code = ExitCode(err)
	}
	return result, err
}

// reportFull says if ranks may have lost output because the disk is full.
func (s *supervisor) reportFull() {
	full := make(chan error, 1)
	s.during(func() { full <- s.io.Full() })
	select {
	case err := <-full:
		if err != nil {
			s.io.Say("output of ranks may be missing: %v", err)
		}
	default: // given up
	}
}

// drain passes on the rest in the pipes, and then the last messages. Where
// the reader of Stdout or Stderr does not read, an interrupt or the end of ctx
// ends the wait.
func (s *supervisor) drain() {
	giveUp := make(chan struct{})
	s.during(func() { s.io.Drain(giveUp) })
	close(giveUp)
	select {
	case err := <-s.io.Failed():
		s.fate.OutputFailed(err)
	default:
	}
	s.during(s.io.Flush)
}

// sweep ends the host and every process that the job has left: a rank whose pid
// the host had no time to tell, orphans. Killing one process hands over its
// children, so it goes on until there are none.
func (s *supervisor) sweep() {
	s.phase, s.givenUp = sweeping, false
	s.awaitKilled()
	for {
		s.reap()
		left := s.KillAll()
		if len(left) == 0 {
			break
		}
		if s.givenUp {
			s.io.Say("killed, but not ended after %v: process %v; it is left behind", fate.KillTime, left)
			s.fate.LeftBehind()
			break
		}
		s.next(nil)
	}
	signal.Stop(s.childEnd)
	s.starter.parent.Close()
}
