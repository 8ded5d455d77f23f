package sys

import (
	"os"

	"golang.org/x/sys/unix"
)

// Fileno returns the descriptor of an open file without changing its mode, as
// File.Fd would; a pipe stays under the care of the network poller. The caller
// keeps the file open while it uses the number.
func Fileno(f *os.File) (fd int, err error) {
	c, err := f.SyscallConn()
	if err != nil {
		return -1, err
	}
	err = c.Control(func(n uintptr) { fd = int(n) })
	return fd, err
}

// DupAbove duplicates a file to the lowest free descriptor not below least,
// with close-on-exec set.
func DupAbove(f *os.File, least int) (*os.File, error) {
	fd, err := Fileno(f)
	if err != nil {
		return nil, err
	}
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, least)
	if err != nil {
		return nil, os.NewSyscallError("fcntl(F_DUPFD_CLOEXEC)", err)
	}
	return os.NewFile(uintptr(dup), f.Name()), nil
}

// MoveAbove moves a descriptor to the lowest free one not below least, with close-on-exec set. Without room it stays.
func MoveAbove(fd, least int) int {
	moved, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, least)
	if err != nil {
		return fd
	}
	_ = unix.Close(fd)
	return moved
}

// StopSocket ends all that is sent and received by a socket, or accepted, now and later: also where it waits, and by
// whichever descriptor. A name that the socket has stays taken.
func StopSocket(socket *os.File) {
	if fd, err := Fileno(socket); err == nil {
		_ = unix.Shutdown(fd, unix.SHUT_RDWR) // an error: its other end has gone
	}
}

// ProbeCloseRange reports whether close_range works, without closing anything.
func ProbeCloseRange() error {
	const none = 1<<31 - 1
	return unix.CloseRange(none, none, 0)
}
