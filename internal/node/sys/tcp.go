package sys

import (
	"cmp"
	"io"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// TCP without package net, which would link cgo into every program that imports it. Connections
// are files: the runtime's poller waits for them, and Close ends every wait.

// ListenTCP returns a socket that takes connections, and its address.
func ListenTCP(at netip.AddrPort) (*os.File, netip.AddrPort, error) {
	f, err := tcpSocket(at)
	if err != nil {
		return nil, at, err
	}
	err = onSocket(f, func(fd int) error {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
			return os.NewSyscallError("setsockopt", err)
		}
		if err := unix.Bind(fd, sockaddr(at)); err != nil {
			return os.NewSyscallError("bind", err)
		}
		if err := unix.Listen(fd, unix.SOMAXCONN); err != nil {
			return os.NewSyscallError("listen", err)
		}
		at, err = LocalAddress(fd)
		return err
	})
	if err != nil {
		_ = f.Close()
		return nil, at, err
	}
	return f, at, nil
}

// AcceptTCP waits for a connection to a socket of ListenTCP.
func AcceptTCP(listener *os.File) (*os.File, error) {
	raw, err := listener.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd := -1
	if e := raw.Read(func(l uintptr) bool {
		fd, _, err = unix.Accept4(int(l), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		return err != unix.EAGAIN && err != unix.EINTR && err != unix.ECONNABORTED
	}); e != nil {
		return nil, e
	}
	if err != nil {
		return nil, os.NewSyscallError("accept4", err)
	}
	return tcpFile(fd)
}

// DialTCP connects to a socket of ListenTCP.
func DialTCP(to netip.AddrPort) (*os.File, error) {
	f, err := tcpSocket(to)
	if err != nil {
		return nil, err
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	begun := false
	if e := raw.Write(func(fd uintptr) bool {
		if begun {
			var code int
			if code, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR); err != nil || code != 0 {
				err = cmp.Or(err, error(unix.Errno(code)))
				return true
			}
			_, pending := unix.Getpeername(int(fd)) // a socket that is not connected may count as ready, too
			return pending == nil
		}
		begun = true
		err = unix.Connect(int(fd), sockaddr(to))
		return err != unix.EINPROGRESS && err != unix.EINTR
	}); e != nil {
		err = e
	}
	if err != nil {
		_ = f.Close()
		return nil, os.NewSyscallError("connect", err)
	}
	return f, nil
}

// WriteTogether writes all of the parts, in one system call if the socket has room.
func WriteTogether(f *os.File, parts [][]byte) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if e := raw.Write(func(fd uintptr) bool {
		for len(parts) > 0 {
			var n int
			switch n, err = unix.Writev(int(fd), parts); {
			case err == unix.EAGAIN:
				return false
			case err == unix.EINTR:
				continue
			case err == nil && n == 0:
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return true
			}
			parts = rest(parts, n)
		}
		return true
	}); e != nil {
		return e
	}
	return os.NewSyscallError("writev", err)
}

// rest is what is left of parts without their first n bytes. It changes parts.
func rest(parts [][]byte, n int) [][]byte {
	for len(parts) > 0 && n >= len(parts[0]) {
		n -= len(parts[0])
		parts = parts[1:]
	}
	if len(parts) > 0 {
		parts[0] = parts[0][n:]
	}
	return parts
}

func tcpSocket(at netip.AddrPort) (*os.File, error) {
	family := unix.AF_INET
	if at.Addr().Is6() {
		family = unix.AF_INET6
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	return tcpFile(fd)
}

// tcpFile has a connection send what is written at once.
func tcpFile(fd int) (*os.File, error) {
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		_ = unix.Close(fd)
		return nil, os.NewSyscallError("setsockopt", err)
	}
	return os.NewFile(uintptr(fd), "tcp"), nil
}

func onSocket(f *os.File, do func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if e := raw.Control(func(fd uintptr) { err = do(int(fd)) }); e != nil {
		return e
	}
	return err
}
