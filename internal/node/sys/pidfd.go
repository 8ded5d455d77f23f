package sys

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// PidfdOpen returns a descriptor of a process, which closes on exec.
func PidfdOpen(pid int) (int, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	return fd, os.NewSyscallError("pidfd_open", err)
}

// PIDSpace returns the number of the PID namespace of this process, 0 if /proc does not say. Numbers of processes have
// a meaning within one. No two that exist have the same number.
func PIDSpace() uint32 {
	var s unix.Stat_t
	if unix.Stat("/proc/self/ns/pid", &s) != nil {
		return 0
	}
	return uint32(s.Ino) // the kernel has 32 bits
}

// PidfdExited reports whether the process behind pidfd has ended, be it reaped
// or still a zombie.
func PidfdExited(pidfd int) bool {
	fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(fds, 0)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n == 1
		}
	}
}

// PidfdSignal sends a signal to the process behind pidfd.
func PidfdSignal(pidfd int, sig syscall.Signal) error {
	return unix.PidfdSendSignal(pidfd, sig, nil, 0)
}

// AwaitExit waits until a process has ended, be it a child or not.
func AwaitExit(pid int) error {
	pidfd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return os.NewSyscallError("pidfd_open", err)
	}
	defer unix.Close(pidfd)
	fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(fds, -1); !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("poll", err)
		}
	}
}
