package sys

import (
	"os"

	"golang.org/x/sys/unix"
)

// LockFile locks a file until it is closed, against others that do the same. It does not block: if
// another one has the lock, that is an error.
func LockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
