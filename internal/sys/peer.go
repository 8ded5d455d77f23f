package sys

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A Connection is a TCP connection of some process.
type Connection struct {
	Peer netip.AddrPort
	// Open is false while the peer's kernel has not accepted the connection.
	Open bool
	// Silent is how long nothing has come from the peer's kernel, if the connection is open.
	Silent time.Duration
}

// ConnectionOf tells how the peer of a process's TCP connection answers; ok is false if the
// descriptor is none. From then on the kernels ask each other for a sign of life in every
// second, so that Silent means something in the next call. The process is not disturbed.
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
	if protocol, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_PROTOCOL); err != nil ||
		protocol != unix.IPPROTO_TCP {
		return c, false
	}
	info, err := unix.GetsockoptTCPInfo(socket, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil || info.State != unix.BPF_TCP_ESTABLISHED && info.State != unix.BPF_TCP_SYN_SENT {
		return c, false
	}
	c.Open, c.Silent = info.State == unix.BPF_TCP_ESTABLISHED, time.Duration(info.Last_ack_recv)*time.Millisecond
	c.Peer = peerOf(pid, socket)
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

// peerOf is the peer of a process's connection. One that has not answered yet is found in the table of
// the process's network, if it is one of IPv4; it is not valid if it is not there. Lines may be missing there
// while other connections come and go.
func peerOf(pid, socket int) (peer netip.AddrPort) {
	if sa, err := unix.Getpeername(socket); err == nil {
		return addressOf(sa)
	}
	var status unix.Stat_t
	if unix.Fstat(socket, &status) != nil {
		return peer
	}
	table, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", pid))
	for line := range strings.Lines(string(table)) {
		if words := strings.Fields(line); len(words) > 9 && words[9] == strconv.FormatUint(status.Ino, 10) {
			return parsePeer(words[2])
		}
	}
	return peer
}

// parsePeer reads "0100007F:0016": the address as a number of this machine, then the port.
func parsePeer(text string) (peer netip.AddrPort) {
	address, port, _ := strings.Cut(text, ":")
	a, err1 := strconv.ParseUint(address, 16, 32)
	p, err2 := strconv.ParseUint(port, 16, 16)
	if err1 != nil || err2 != nil {
		return peer
	}
	var b [4]byte
	binary.NativeEndian.PutUint32(b[:], uint32(a))
	return netip.AddrPortFrom(netip.AddrFrom4(b), uint16(p))
}
