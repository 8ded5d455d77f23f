package sys

import "golang.org/x/sys/unix"

// Auxv returns the auxiliary vector of this process as (tag, value) pairs.
func Auxv() ([][2]uintptr, error) { return unix.Auxv() }
