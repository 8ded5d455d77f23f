package sys

import (
	"errors"

	"golang.org/x/sys/unix"
)

// ErrNoLocks means that a file system has no locks.
var ErrNoLocks = errors.New("the file system has no locks")

// LockRange locks the bytes of an open file from first up to end, against other open descriptions of the file, and
// waits for them. A lock to write excludes all others. The kernel gives it back when the process ends. The
// error is ErrNoLocks, or an errno.
func LockRange(fd int, write bool, first, end int64) error {
	kind := int16(unix.F_RDLCK)
	if write {
		kind = unix.F_WRLCK
	}
	return lockRange(fd, unix.F_OFD_SETLKW, kind, first, end)
}

// UnlockRange gives a lock of LockRange back.
func UnlockRange(fd int, first, end int64) error {
	return lockRange(fd, unix.F_OFD_SETLK, unix.F_UNLCK, first, end)
}

func lockRange(fd, how int, kind int16, first, end int64) error {
	if end <= first {
		return nil
	}
	l := unix.Flock_t{Type: kind, Whence: 0, Start: first, Len: end - first}
	for {
		err := unix.FcntlFlock(uintptr(fd), how, &l)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EINVAL):
			return ErrNoLocks
		}
		return err
	}
}
