package sys

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Reap takes the status of a child that has ended, whichever thread started it:
// of the child pid, or of any if pid is -1. It does not wait: the pid is 0 where
// none has ended. The error is ECHILD where there is no such child.
func Reap(pid int) (int, syscall.WaitStatus, Used, error) { return wait4(pid, unix.WNOHANG) }

// Used is the CPU time of a process that has ended.
type Used struct{ User, System time.Duration }

// Ended returns the pid of a child that Reap would reap, and does not reap it; 0 if none has ended. No other process
// gets the pid until the child is reaped. The error is that of Reap.
func Ended(pid int) (int, error) { return waitid(pid, unix.WNOHANG) }

// AwaitEnd waits until Ended would return the child pid.
func AwaitEnd(pid int) error {
	_, err := waitid(pid, 0)
	return err
}

// WaitPid waits for the child pid, whichever thread started it, and reaps it.
func WaitPid(pid int) (syscall.WaitStatus, error) {
	_, status, _, err := wait4(pid, 0)
	return status, err
}

func wait4(pid, options int) (int, syscall.WaitStatus, Used, error) {
	for {
		var status unix.WaitStatus
		var used unix.Rusage
		got, err := unix.Wait4(pid, &status, options, &used)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0, 0, Used{}, fmt.Errorf("wait4 %d: %w", pid, err)
		}
		return got, syscall.WaitStatus(status),
			Used{time.Duration(used.Utime.Nano()), time.Duration(used.Stime.Nano())}, nil
	}
}

// Kill sends a signal to the process pid, or to the process group -pid when pid
// is negative. Signal 0 only asks whether there is anybody to send to.
func Kill(pid int, sig syscall.Signal) error {
	if err := unix.Kill(pid, sig); err != nil {
		return fmt.Errorf("kill %d with %v: %w", pid, sig, err)
	}
	return nil
}

// SignalName returns the name of a signal as people type it, such as SIGSEGV.
func SignalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(sig))
}
