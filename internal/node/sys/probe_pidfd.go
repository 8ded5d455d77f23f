package sys

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ProbePidfd reports whether a process can be held by a descriptor. It opens
// one for this process and closes it.
func ProbePidfd() error {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return fmt.Errorf("pidfd_open: %w", err)
	}
	defer unix.Close(fd)
	if err := unix.PidfdSendSignal(fd, 0, nil, 0); err != nil {
		return fmt.Errorf("pidfd_send_signal: %w", err)
	}
	return nil
}
