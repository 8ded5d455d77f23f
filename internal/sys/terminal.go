package sys

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Foreground reports whether this process may read from the terminal f now:
// a process in a background group of its terminal would be stopped by SIGTTIN.
func Foreground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	// An error: it is not our controlling terminal, and job control does not apply.
	return err != nil || group == unix.Getpgrp()
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
