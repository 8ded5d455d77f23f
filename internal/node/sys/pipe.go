package sys

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Pipe makes a pipe between this process and one it will start. near is this
// side's end and does not block a thread while it waits; far is the other
// side's. write says which of the two ends near is.
//
// os.Pipe will not do: it makes both ends non-blocking, a property of the pipe
// and not of the descriptor, which programs that got far would see.
func Pipe(write bool) (near, far *os.File, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, fmt.Errorf("pipe2: %w", err)
	}
	n, f := p[0], p[1]
	if write {
		n, f = f, n
	}
	// os.NewFile takes a non-blocking descriptor into the poller.
	if err := unix.SetNonblock(n, true); err != nil {
		unix.Close(n)
		unix.Close(f)
		return nil, nil, fmt.Errorf("set pipe non-blocking: %w", err)
	}
	return os.NewFile(uintptr(n), "pipe"), os.NewFile(uintptr(f), "pipe"), nil
}

// Unread returns how many bytes of a pipe nobody has read yet. f is either end.
func Unread(f *os.File) (int, error) {
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCINQ)
	return n, wrapErrno("ioctl FIONREAD", err)
}

// ControlPair makes a pair of connected unix stream sockets.
func ControlPair() (a, b *os.File, err error) {
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	return os.NewFile(uintptr(p[0]), "control"), os.NewFile(uintptr(p[1]), "control"), nil
}
