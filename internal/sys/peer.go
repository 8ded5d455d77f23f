package sys

import (
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A Connection is a TCP connection of some process.
type Connection struct {
	Peer netip.AddrPort // not valid unless Open
	// Open is false while the peer's kernel has not accepted the connection.
	Open bool
	// Silent is how long nothing has come from the peer's kernel, if the connection is open.
	Silent time.Duration
}

// ConnectionOf tells how the peer of a process's TCP connection answers; ok is false if the
// descriptor is none. It has the kernels ask each other for a sign of life in every second from
// then on, so that Silent means something in the next call. The process is not disturbed.
func ConnectionOf(pid, fd int) (c Connection, ok bool) {
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return c, false
	}
	defer unix.Close(process)
	socket, err := unix.PidfdGetfd(process, fd, 0)
	if err != nil {
		return c, false
	}
	defer unix.Close(socket)
	if protocol, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_PROTOCOL); err != nil || protocol != unix.IPPROTO_TCP {
		return c, false
	}
	info, err := unix.GetsockoptTCPInfo(socket, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil || info.State != unix.BPF_TCP_ESTABLISHED && info.State != unix.BPF_TCP_SYN_SENT {
		return c, false
	}
	if peer, err := unix.Getpeername(socket); err == nil {
		c.Peer, _ = addrPort(peer) // only named in messages
	}
	c.Open, c.Silent = info.State == unix.BPF_TCP_ESTABLISHED, time.Duration(info.Last_ack_recv)*time.Millisecond
	return c, askPeer(socket) == nil
}

func askPeer(socket int) error {
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1); err != nil {
		return os.NewSyscallError("setsockopt", err)
	}
	for _, option := range []int{unix.TCP_KEEPIDLE, unix.TCP_KEEPINTVL} {
		if now, err := unix.GetsockoptInt(socket, unix.IPPROTO_TCP, option); err == nil && now == 1 {
			continue // to set it again would begin the second again
		}
		if err := unix.SetsockoptInt(socket, unix.IPPROTO_TCP, option, 1); err != nil {
			return os.NewSyscallError("setsockopt", err)
		}
	}
	return nil
}
