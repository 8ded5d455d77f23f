package sys

import (
	"fmt"
	"syscall"
)

// wrap returns an error that names the system call, or nil for errno 0. The
// errno stays reachable with errors.Is.
func wrap(call string, errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w", call, errno)
}

// wrapErrno is wrap for calls of x/sys/unix, which return errors.
func wrapErrno(call string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", call, err)
}
