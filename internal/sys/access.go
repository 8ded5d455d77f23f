package sys

import "golang.org/x/sys/unix"

// AccessExec reports whether this process may execute the open file fd, by its
// effective ids, as execve would judge.
func AccessExec(fd int) error {
	return unix.Faccessat(fd, "", unix.X_OK, unix.AT_EACCESS|unix.AT_EMPTY_PATH)
}
