package launcher

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
)

// finish passes on the rest of the output and gives everything back. No process
// of the job is left when it is called.
func (s *supervisor) finish(ctx context.Context, err error) (*Result, error) {
	if s.io != nil {
		s.drain(ctx)
		s.io.close()
	}
	if s.control != nil {
		s.control.close()
	}
	if s.memory != nil {
		if s.job.Finished != nil {
			s.job.Finished(s.memory.Root())
		}
		err = errors.Join(err, s.memory.Close())
	}
	if s.host == 0 {
		return nil, err
	}
	result := &Result{BTL: s.btl, Reason: s.reason, Code: s.fate.code, Failure: s.fate.failure, HostPid: s.host}
	err = s.blameHost(err)
	if err == nil && ctx.Err() != nil && s.fate.killed {
		err = context.Cause(ctx)
	}
	if err != nil {
		result.Code = ExitCode(err)
	}
	return result, err
}

// blameHost explains an error of the connection by the death of the host that
// caused it.
func (s *supervisor) blameHost(err error) error {
	var host *HostError
	if !errors.As(err, &host) {
		return err
	}
	host.Pid = s.host
	lost := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
	if lost && s.hostEnd != nil {
		return &HostError{Op: host.Op, Pid: s.host, Status: *s.hostEnd}
	}
	return err
}

// drain passes on what is left in the pipes. Where Stdout blocks, an interrupt
// or the end of ctx ends the wait.
func (s *supervisor) drain(ctx context.Context) {
	done, giveUp := make(chan struct{}), make(chan struct{})
	go func() {
		s.io.streams.drain(giveUp)
		close(done)
	}()
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		case sig := <-s.job.Signals:
			waiting = !endsWait(sig)
		case <-ctx.Done():
			waiting = false
		}
	}
	close(giveUp)
	select {
	case err := <-s.output:
		s.fate.outputFailed(err)
	default:
	}
}

func endsWait(sig os.Signal) bool {
	return sig == syscall.SIGINT || sig == syscall.SIGTERM || sig == syscall.SIGHUP
}
