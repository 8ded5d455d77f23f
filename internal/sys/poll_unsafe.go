package sys

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// PollQuietly is PollReadable for a time of 0 or more, and as FutexWaitBriefly: the Go
// scheduler does not learn of it. disturbed says that a signal has ended it.
func PollQuietly(a, b int, d time.Duration) (second, disturbed bool) {
	fds := [2]unix.PollFd{{Fd: int32(a), Events: unix.POLLIN}, {Fd: int32(b), Events: unix.POLLIN}}
	limit := unix.NsecToTimespec(int64(d))
	_, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds)), 2,
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	return errno == 0 && fds[1].Revents != 0, errno == syscall.EINTR
}
