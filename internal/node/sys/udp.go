package sys

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// UDPSocket opens a non-blocking UDP socket bound to an address; port 0 lets the kernel
// choose. It is not known to the Go scheduler's network poller, so packets wake nobody
// but those who wait with a PollSet. A socket bound to the IPv6 address :: takes IPv4
// as well.
func UDPSocket(local netip.AddrPort) (fd int, err error) {
	family := unix.AF_INET
	if local.Addr().Is6() {
		family = unix.AF_INET6
	}
	fd, err = unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, wrapErrno("socket(SOCK_DGRAM)", err)
	}
	if family == unix.AF_INET6 {
		err = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 0)
	}
	if err == nil {
		err = unix.Bind(fd, sockaddr(local))
	}
	if err != nil {
		_ = unix.Close(fd)
		return -1, fmt.Errorf("bind to %v: %w", local, err)
	}
	return fd, nil
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is6() {
		return &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
	}
	return &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}
}

// addressOf is the address of the kernel's form; it is not valid if that is none of the internet.
func addressOf(sa unix.Sockaddr) (a netip.AddrPort) {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(sa.Addr), uint16(sa.Port))
	}
	return a
}

// UDPBuffers asks for send and receive buffers of n bytes: beyond the system's limit if
// the process may, else up to it.
func UDPBuffers(fd, n int) {
	for _, option := range [][2]int{{unix.SO_RCVBUFFORCE, unix.SO_RCVBUF}, {unix.SO_SNDBUFFORCE, unix.SO_SNDBUF}} {
		if unix.SetsockoptInt(fd, unix.SOL_SOCKET, option[0], n) != nil {
			_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, option[1], n)
		}
	}
}

// UDPCoalesce lets the kernel hand over consecutive datagrams of one length in one piece
// (UDP_GRO), with the time of arrival (SO_TIMESTAMPNS).
func UDPCoalesce(fd int) error {
	if err := unix.SetsockoptInt(fd, unix.SOL_UDP, unix.UDP_GRO, 1); err != nil {
		return wrapErrno("setsockopt(UDP_GRO)", err)
	}
	return wrapErrno("setsockopt(SO_TIMESTAMPNS)", unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1))
}

// UDPFragments says whether datagrams of a socket may be cut into fragments on their way. If not, those that are
// too long for the device are refused (EMSGSIZE), and those that a router does not take are lost, whatever it says. If
// they may, those of IPv6 are cut here, for the least MTU. What the kernel does not know stays.
func UDPFragments(fd int, ipv6, may bool) {
	v4, v6, mtu := unix.IP_PMTUDISC_PROBE, unix.IPV6_PMTUDISC_PROBE, 0
	if may {
		v4, v6, mtu = unix.IP_PMTUDISC_DONT, unix.IPV6_PMTUDISC_DONT, leastIPv6
	}
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, v4) // also for IPv4 by a socket of IPv6
	if ipv6 {
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, v6)
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_MTU, mtu)
	}
}

const leastIPv6 = 1280 // bytes, the MTU of any path

// UDPLongest is how many bytes a datagram from a local address to another one may have, by what this node knows: the
// MTU of device and route without the headers.
func UDPLongest(local netip.Addr, to netip.AddrPort) (int, error) {
	family, level, mtu, discover, heads := unix.AF_INET, unix.IPPROTO_IP, unix.IP_MTU, unix.IP_MTU_DISCOVER, 20+8
	if to.Addr().Is6() {
		family, level, mtu, discover, heads = unix.AF_INET6, unix.IPPROTO_IPV6, unix.IPV6_MTU,
			unix.IPV6_MTU_DISCOVER, 40+8
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, wrapErrno("socket(SOCK_DGRAM)", err)
	}
	defer unix.Close(fd)
	_ = unix.SetsockoptInt(fd, level, discover, unix.IP_PMTUDISC_PROBE) // the same number for IPv6
	if local.Is6() == to.Addr().Is6() {
		if err := unix.Bind(fd, sockaddr(netip.AddrPortFrom(local, 0))); err != nil {
			return 0, wrapErrno("bind", err)
		}
	}
	if err := unix.Connect(fd, sockaddr(to)); err != nil {
		return 0, wrapErrno("connect", err)
	}
	n, err := unix.GetsockoptInt(fd, level, mtu)
	return n - heads, wrapErrno("getsockopt(IP_MTU)", err)
}

// UDPQueued is how many bytes of kernel memory hold what a socket has sent and its device has not;
// 0 if the kernel does not say.
func UDPQueued(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCOUTQ) // the number of SIOCOUTQ
	if err != nil {
		return 0
	}
	return n
}

// UDPUnread is how many bytes of kernel memory hold what has come to a socket and was not received: never less
// than its bytes. It is the whole buffer if the kernel does not say.
func UDPUnread(fd int) int {
	n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_MEMINFO) // the first word: SK_MEMINFO_RMEM_ALLOC
	if err != nil {
		n, _ = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	}
	return n
}

// CloseFD closes a descriptor of UDPSocket or EventFD.
func CloseFD(fd int) error { return wrapErrno("close", unix.Close(fd)) }

// EventFD returns a counter that a PollSet can wait for.
func EventFD() (int, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	return fd, wrapErrno("eventfd", err)
}

// Signal makes an EventFD readable.
func Signal(fd int) { _, _ = unix.Write(fd, one[:]) }

// Unsignal makes an EventFD unreadable.
func Unsignal(fd int) {
	var b [8]byte
	_, _ = unix.Read(fd, b[:])
}

var one = func() (b [8]byte) {
	binary.NativeEndian.PutUint64(b[:], 1)
	return b
}()
