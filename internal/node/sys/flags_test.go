package sys

import "golang.org/x/sys/unix"

func statusFlags(fd uintptr) (int, error) { return unix.FcntlInt(fd, unix.F_GETFL, 0) }
