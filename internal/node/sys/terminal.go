package sys

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Foreground reports whether this process may read from the terminal f now:
// a process in a background group of its terminal would be stopped by SIGTTIN.
func Foreground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	// An error: it is not our controlling terminal, and job control does not apply.
	return err != nil || group == unix.Getpgrp()
}

// AwaitInput waits until there is something to read from f, or the end of it, or
// until quit is at its end; both may block. after bounds the wait, a negative
// time does not. It reads nothing, and no job control applies to it.
func AwaitInput(f, quit *os.File, after time.Duration) (ready bool, err error) {
	fds := []unix.PollFd{{Fd: int32(quit.Fd()), Events: unix.POLLIN}, {Fd: int32(f.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, int(after.Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return false, fmt.Errorf("poll: %w", err)
		case fds[0].Revents != 0:
			return false, os.ErrClosed
		}
		return fds[1].Revents != 0, nil
	}
}

// ReadTerminal reads from a terminal. From the background it fails with EIO, where
// otherwise SIGTTIN would stop the process.
func ReadTerminal(f *os.File, b []byte) (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer SetSignalMask(BlockSignals())
	n, err := unix.Read(int(f.Fd()), b)
	return max(n, 0), wrapErrno("read", err)
}

// OpenTerminal makes a pseudo terminal: what is written to master is typed at
// terminal. Tests use it.
func OpenTerminal() (master, terminal *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		master.Close()
		return nil, nil, fmt.Errorf("unlock the pseudo terminal: %w", err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		master.Close()
		return nil, nil, fmt.Errorf("number of the pseudo terminal: %w", err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		master.Close()
		return nil, nil, err
	}
	return master, terminal, nil
}
