package sys

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// childInfo lies over a unix.Siginfo of waitid, whose pid has no name there.
type childInfo struct {
	signo, errno, code int32
	_                  int32
	pid                int32
	_                  [unsafe.Sizeof(unix.Siginfo{}) - 20]byte
}

// waitid looks at a child that has ended, of any if pid is -1, and does not reap it.
func waitid(pid, options int) (int, error) {
	kind, id := unix.P_PID, pid
	if pid == -1 {
		kind, id = unix.P_ALL, 0
	}
	for {
		var info childInfo
		err := unix.Waitid(kind, id, (*unix.Siginfo)(unsafe.Pointer(&info)), unix.WEXITED|unix.WNOWAIT|options, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("waitid %d: %w", pid, err)
		}
		return int(info.pid), nil
	}
}
