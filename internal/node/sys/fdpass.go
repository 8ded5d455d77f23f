package sys

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// maxPassed is the number of descriptors one message carries at most.
const maxPassed = 16

// Pollable duplicates a socket or pipe to a file. Its reads and writes wait in the
// Go scheduler's network poller, not in a thread, and know deadlines. f stays the
// caller's; the mode is that of the open file, so f becomes non-blocking too.
func Pollable(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("fcntl(F_DUPFD_CLOEXEC): %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("fcntl(O_NONBLOCK): %w", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// SendWithFiles writes b to a unix socket made by Pollable, with descriptors
// attached to its first byte. It returns how much of b was taken; all
// descriptors are, unless there is an error. The files stay the caller's.
func SendWithFiles(socket *os.File, b []byte, files []*os.File) (n int, err error) {
	var oob []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			if fds[i], err = Fileno(f); err != nil {
				return 0, err
			}
		}
		oob = unix.UnixRights(fds...)
	}
	c, err := socket.SyscallConn()
	if err != nil {
		return 0, err
	}
	waitErr := c.Write(func(fd uintptr) bool {
		n, err = unix.SendmsgN(int(fd), b, oob, nil, unix.MSG_NOSIGNAL)
		return err != unix.EAGAIN && err != unix.EINTR
	})
	if waitErr != nil {
		return 0, waitErr
	}
	return n, wrapErrno("sendmsg", err)
}

// ReceiveWithFiles reads from a unix socket made by Pollable. n is 0 at the end
// of the connection. The caller owns the files; after an error there are none.
func ReceiveWithFiles(socket *os.File, b []byte) (n int, files []*os.File, err error) {
	c, err := socket.SyscallConn()
	if err != nil {
		return 0, nil, err
	}
	oob := make([]byte, unix.CmsgSpace(maxPassed*4))
	var oobn, flags int
	waitErr := c.Read(func(fd uintptr) bool {
		n, oobn, flags, _, err = unix.Recvmsg(int(fd), b, oob, unix.MSG_CMSG_CLOEXEC)
		return err != unix.EAGAIN && err != unix.EINTR
	})
	if waitErr != nil {
		return 0, nil, waitErr
	}
	if err != nil {
		return 0, nil, wrapErrno("recvmsg", err)
	}
	files, err = receivedFiles(oob[:oobn], flags)
	return n, files, err
}

// receivedFiles unpacks the control message that recvmsg returned with flags.
func receivedFiles(oob []byte, flags int) ([]*os.File, error) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, fmt.Errorf("parse control message: %w", err)
	}
	var files []*os.File
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue // not descriptors
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "passed"))
		}
	}
	if flags&unix.MSG_CTRUNC != 0 {
		for _, f := range files {
			_ = f.Close()
		}
		return nil, fmt.Errorf("control message cut off: too many descriptors in it, or too many open here")
	}
	return files, nil
}

// Named sockets: an abstract name, which is in no file system, belongs to who listens there, and goes with it. It is
// known in the network namespace, to all users. So both ends look which user the other one is (SO_PEERCRED).

// ErrNameTaken means that somebody listens at the name.
var ErrNameTaken = unix.EADDRINUSE

// errOtherUser means that the other end belongs to another user.
var errOtherUser = errors.New("it belongs to another user")

// ListenNamed listens at a name. The error wraps ErrNameTaken if another socket has it.
func ListenNamed(name string) (*os.File, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	if err = unix.Bind(fd, &unix.SockaddrUnix{Name: "@" + name}); err == nil {
		err = unix.Listen(fd, 128)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("listen at %s: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// AcceptNamed waits until a process of this user connects. Those of others are turned away.
func AcceptNamed(listener *os.File) (*os.File, error) {
	raw, err := listener.SyscallConn()
	if err != nil {
		return nil, err
	}
	for {
		fd := -1
		var failed error
		err = raw.Read(func(at uintptr) bool {
			fd, _, failed = unix.Accept4(int(at), unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
			return failed != unix.EAGAIN
		})
		switch {
		case err != nil:
			return nil, err
		case failed == unix.EINTR || failed == unix.ECONNABORTED:
		case failed != nil:
			return nil, os.NewSyscallError("accept", failed)
		case ownPeer(fd) == nil:
			return os.NewFile(uintptr(fd), listener.Name()), nil
		default:
			_ = unix.Close(fd)
		}
	}
}

// ConnectNamed connects to a name at which a process of this user listens.
func ConnectNamed(name string) (*os.File, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	if err = unix.Connect(fd, &unix.SockaddrUnix{Name: "@" + name}); err == nil {
		err = ownPeer(fd)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("connect to %s: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// ownPeer returns an error if the other end of a socket is not of this user.
func ownPeer(fd int) error {
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err == nil && int(peer.Uid) != os.Geteuid() {
		err = errOtherUser
	}
	return err
}
