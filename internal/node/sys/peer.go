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

// KeepAlive has the kernels of both ends of a connection ask each other each second. It ends when there was no answer
// for so long.
func KeepAlive(f *os.File, silent time.Duration) error {
	return onSocket(f, func(fd int) error {
		if err := askPeer(fd); err != nil {
			return err
		}
		err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPCNT, int(silent/time.Second))
		if err == nil {
			err = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silent/time.Millisecond))
		}
		return os.NewSyscallError("setsockopt", err)
	})
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

// A Stream is a TCP connection of some process on this machine, by its two ends.
type Stream struct{ Here, There netip.AddrPort }

// StreamOf returns that of a connection of this process; its ends are not valid if they are not known.
func StreamOf(f *os.File) (s Stream) {
	_ = onSocket(f, func(fd int) error {
		local, err := unix.Getsockname(fd)
		if err != nil {
			return err
		}
		peer, err := unix.Getpeername(fd)
		if err == nil {
			s = Stream{unmap(addressOf(local)), unmap(addressOf(peer))}
		}
		return err
	})
	return s
}

func unmap(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// Reverse returns the connection as the other side sees it.
func (s Stream) Reverse() Stream { return Stream{s.There, s.Here} }

// Unanswered asks the kernel for how long the other side's kernel has not answered: 0 if it answers, or was not asked
// twice. That a process there does not run makes no difference. ok is false if the kernel knows no such connection in
// the network of this process, or does not tell.
func (s Stream) Unanswered() (d time.Duration, ok bool) {
	if !s.Here.IsValid() || !s.There.IsValid() {
		return 0, false
	}
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return 0, false
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, s.question(), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return 0, false
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, unix.MSG_DONTWAIT) // it came before Sendto returned
	if err != nil {
		return 0, false
	}
	return parseDiag(answer[:n])
}

// Sizes and places in the kernel's messages: struct nlmsghdr, inet_diag_req_v2, inet_diag_msg, nlattr, tcp_info.
const (
	nlHeader   = 16
	diagAsk    = 56
	diagAnswer = 72
	diagInfo   = 2 // INET_DIAG_INFO

	infoRetransmits = 2
	infoProbes      = 3
	infoLastAck     = 56
	infoLeast       = infoLastAck + 4
)

// question is the request of sock_diag(7) for the state of one connection.
func (s Stream) question() []byte {
	b := make([]byte, nlHeader+diagAsk)
	native := binary.NativeEndian
	native.PutUint32(b, uint32(len(b)))
	native.PutUint16(b[4:], unix.SOCK_DIAG_BY_FAMILY)
	native.PutUint16(b[6:], unix.NLM_F_REQUEST)
	r := b[nlHeader:]
	r[0], r[1], r[2] = unix.AF_INET, unix.IPPROTO_TCP, 1<<(diagInfo-1)
	if s.Here.Addr().Is6() {
		r[0] = unix.AF_INET6
	}
	native.PutUint32(r[4:], 1<<unix.BPF_TCP_ESTABLISHED)
	binary.BigEndian.PutUint16(r[8:], s.Here.Port())
	binary.BigEndian.PutUint16(r[10:], s.There.Port())
	copy(r[12:28], s.Here.Addr().AsSlice())
	copy(r[28:44], s.There.Addr().AsSlice())
	native.PutUint64(r[48:], ^uint64(0)) // no cookie
	return b
}

// parseDiag reads the answer.
func parseDiag(b []byte) (d time.Duration, ok bool) {
	native := binary.NativeEndian
	if len(b) < nlHeader+diagAnswer || native.Uint16(b[4:]) != unix.SOCK_DIAG_BY_FAMILY ||
		b[nlHeader+1] != unix.BPF_TCP_ESTABLISHED {
		return 0, false
	}
	for b = b[nlHeader+diagAnswer:]; len(b) >= 4; {
		n := int(native.Uint16(b))
		if n < 4 || n > len(b) {
			return 0, false
		}
		if info := b[4:n]; native.Uint16(b[2:]) == diagInfo && len(info) >= infoLeast {
			if info[infoRetransmits] < 2 && info[infoProbes] < 2 {
				return 0, true
			}
			return time.Duration(native.Uint32(info[infoLastAck:])) * time.Millisecond, true
		}
		b = b[min(len(b), (n+3)&^3):]
	}
	return 0, false
}
