package sys

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mmsghdr is struct mmsghdr of recvmmsg(2) and sendmmsg(2).
type mmsghdr struct {
	hdr unix.Msghdr
	n   uint32
	_   [4]byte
}

// name is a socket address of either family as the kernel has it.
type name [unix.SizeofSockaddrInet6]byte

func (a *name) set(to netip.AddrPort, mapped bool) (size uint32) {
	binary.BigEndian.PutUint16(a[2:], to.Port())
	if to.Addr().Is4() && !mapped {
		binary.NativeEndian.PutUint16(a[:], unix.AF_INET)
		ip := to.Addr().As4()
		copy(a[4:], ip[:])
		return unix.SizeofSockaddrInet4
	}
	binary.NativeEndian.PutUint16(a[:], unix.AF_INET6)
	ip := to.Addr().As16() // an IPv4 address in its mapped form
	clear(a[4:8])
	copy(a[8:], ip[:])
	clear(a[24:])
	return unix.SizeofSockaddrInet6
}

func (a *name) addr() netip.AddrPort {
	port := binary.BigEndian.Uint16(a[2:])
	if binary.NativeEndian.Uint16(a[:]) == unix.AF_INET {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(a[4:8])), port)
	}
	return netip.AddrPortFrom(netip.AddrFrom16([16]byte(a[8:24])).Unmap(), port)
}

// LocalAddress is the address that a socket is bound to. unix.Getsockname would be simpler: its result may be of any
// family, and each rank would have descriptions of all their types.
func LocalAddress(fd int) (netip.AddrPort, error) {
	var a name
	size := uint32(len(a))
	_, _, errno := unix.RawSyscall(unix.SYS_GETSOCKNAME, uintptr(fd), uintptr(unsafe.Pointer(&a)),
		uintptr(unsafe.Pointer(&size)))
	if errno != 0 {
		return netip.AddrPort{}, wrap("getsockname", errno)
	}
	if family := binary.NativeEndian.Uint16(a[:]); family != unix.AF_INET && family != unix.AF_INET6 {
		return netip.AddrPort{}, errors.New("not an internet address")
	}
	return a.addr(), nil
}

// Outbox collects datagrams for one sendmmsg. A message is one or more datagrams to one
// address: UDP_SEGMENT cuts it into datagrams of equal length.
type Outbox struct {
	mapped  bool // the socket is of IPv6
	heads   []mmsghdr
	names   []name
	control []segmentControl
	parts   []unix.Iovec // of the messages
}

// segmentControl is a control message with UDP_SEGMENT.
type segmentControl struct {
	hdr  unix.Cmsghdr
	size uint16
	_    [6]byte
}

// NewOutbox returns an outbox for so many messages.
func NewOutbox(messages int, ipv6 bool) *Outbox {
	return &Outbox{
		mapped: ipv6,
		heads:  make([]mmsghdr, 0, messages), names: make([]name, messages),
		control: make([]segmentControl, messages), parts: make([]unix.Iovec, messages),
	}
}

// Reset empties the outbox.
func (o *Outbox) Reset() {
	clear(o.parts[:len(o.heads)])
	clear(o.heads)
	o.heads = o.heads[:0]
}

// Message adds a message, which must not be empty. A segment of 0 leaves it one datagram. There must
// be room for it.
func (o *Outbox) Message(to netip.AddrPort, segment int, b []byte) {
	i := len(o.heads)
	o.heads = append(o.heads, mmsghdr{})
	o.parts[i].Base = unsafe.SliceData(b)
	o.parts[i].SetLen(len(b))
	h := &o.heads[i].hdr
	h.Namelen = o.names[i].set(to, o.mapped)
	h.Name, h.Iov = &o.names[i][0], &o.parts[i]
	h.SetIovlen(1)
	if segment > 0 {
		c := &o.control[i]
		c.hdr.Level, c.hdr.Type = unix.SOL_UDP, unix.UDP_SEGMENT
		c.hdr.SetLen(unix.CmsgLen(2))
		c.size = uint16(segment)
		h.Control = (*byte)(unsafe.Pointer(c))
		h.SetControllen(unix.CmsgSpace(2))
	}
}

// SendOne sends a short datagram, without the outbox's messages. That is the cheapest call
// there is, and so short that the Go scheduler need not learn of it. It tells whether the
// kernel has taken the datagram.
func (o *Outbox) SendOne(fd int, to netip.AddrPort, b []byte) bool {
	size := o.names[0].set(to, o.mapped)
	_, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)),
		unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, uintptr(unsafe.Pointer(&o.names[0])), uintptr(size))
	return errno == 0
}

// Send sends all messages. It returns how many the kernel took; the error is about the
// one behind. The call does not wait, so the Go scheduler does not learn of it either: it would
// give the slot of GOMAXPROCS away after 20 us, as long as a train takes, and start a thread for it.
func (o *Outbox) Send(fd int) (sent int, err error) {
	for sent < len(o.heads) {
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(&o.heads[sent])),
			uintptr(len(o.heads)-sent), unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, 0, 0)
		if errno == syscall.EINTR {
			continue
		}
		if errno != 0 {
			return sent, errno
		}
		sent += int(n)
	}
	return sent, nil
}

// SendBusy tells whether an error of Send says that the socket's buffer or the device's
// queue is full.
func SendBusy(err error) bool {
	return errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.ENOBUFS)
}

// SendUncut tells whether an error of Send says that UDP_SEGMENT does not work on the way
// to the address, or not for datagrams of that length.
func SendUncut(err error) bool {
	return errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EMSGSIZE)
}

// ReceiveBroken tells whether an error of Receive or ReceiveInto says that the descriptor is no socket, or that the
// call is wrong: then it will fail for ever. Others are of the network or of a lack of memory.
func ReceiveBroken(err error) bool {
	for _, errno := range []syscall.Errno{syscall.EBADF, syscall.ENOTSOCK, syscall.EOPNOTSUPP, syscall.EINVAL,
		syscall.EFAULT, syscall.ENOSYS} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// SendTooLong tells whether an error of Send says that a datagram is longer than the device takes, and must not be cut.
func SendTooLong(err error) bool { return errors.Is(err, syscall.EMSGSIZE) }

// inboxControl has room for the control messages of UDPCoalesce.
const inboxControl = 64

// inboxBuffer is the length of the longest message that UDP_GRO makes.
const inboxBuffer = 1 << 16

// Inbox receives messages with recvmmsg.
type Inbox struct {
	heads   []mmsghdr
	names   []name
	parts   []unix.Iovec
	control [][inboxControl]byte
	buffers []byte
	used    int           // heads that the kernel has changed
	into    [2]unix.Iovec // of ReceiveInto
}

// NewInbox returns an inbox for so many messages at once, at least two.
func NewInbox(messages int) *Inbox {
	return &Inbox{
		heads: make([]mmsghdr, messages), names: make([]name, messages), parts: make([]unix.Iovec, messages),
		control: make([][inboxControl]byte, messages), buffers: make([]byte, messages*inboxBuffer), used: messages,
	}
}

// prepare makes the heads that the last call has used ready for the next one.
func (in *Inbox) prepare() {
	for i := range in.heads[:in.used] {
		in.parts[i].Base = &in.buffers[i*inboxBuffer]
		in.parts[i].SetLen(inboxBuffer)
		h := &in.heads[i].hdr
		*h = unix.Msghdr{Name: &in.names[i][0], Namelen: uint32(len(in.names[i])), Iov: &in.parts[i],
			Control: &in.control[i][0]}
		h.SetIovlen(1)
		h.SetControllen(inboxControl)
	}
	in.used = 0
}

// Receive takes up to most messages that have come. It does not wait: 0 means that none
// has.
func (in *Inbox) Receive(fd, most int) (n int, err error) {
	in.prepare()
	var got uintptr
	var errno syscall.Errno
	if most == 1 { // the cheaper call
		got, _, errno = unix.RawSyscall(unix.SYS_RECVMSG, uintptr(fd),
			uintptr(unsafe.Pointer(&in.heads[0].hdr)), unix.MSG_DONTWAIT)
		in.heads[0].n, got = uint32(got), 1
	} else {
		got, _, errno = unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(fd), uintptr(unsafe.Pointer(&in.heads[0])),
			uintptr(most), unix.MSG_DONTWAIT, 0, 0)
	}
	switch errno {
	case 0:
		in.used = int(got)
		return int(got), nil
	case syscall.EAGAIN, syscall.EINTR:
		return 0, nil
	}
	in.used = most
	return 0, wrap("recvmmsg", errno)
}

// Message returns the i-th message: its bytes, which are good until the next Receive,
// who sent it, the length of the datagrams that it is made of (the last may be shorter),
// and the wall-clock time of its arrival in ns (0: unknown).
func (in *Inbox) Message(i int) (b []byte, from netip.AddrPort, segment int, arrived int64) {
	n, from, segment, arrived := in.describe(i)
	return in.buffers[i*inboxBuffer:][:n], from, segment, arrived
}

// describe returns what is known of the i-th message beside its bytes, of which there are n.
func (in *Inbox) describe(i int) (n int, from netip.AddrPort, segment int, arrived int64) {
	n = int(in.heads[i].n)
	segment, arrived = in.notes(i, n)
	return n, in.names[i].addr(), segment, arrived
}

// notes reads the control messages of the i-th message, which has n bytes.
func (in *Inbox) notes(i, n int) (segment int, arrived int64) {
	segment = n
	control := in.control[i][:min(int(in.heads[i].hdr.Controllen), inboxControl)]
	for len(control) >= unix.SizeofCmsghdr {
		c := (*unix.Cmsghdr)(unsafe.Pointer(&control[0]))
		data := control[unix.SizeofCmsghdr:]
		switch {
		case c.Level == unix.SOL_UDP && c.Type == unix.UDP_GRO && len(data) >= 4:
			segment = int(int32(binary.NativeEndian.Uint32(data)))
		case c.Level == unix.SOL_SOCKET && c.Type == unix.SCM_TIMESTAMPNS && len(data) >= 16:
			arrived = int64(binary.NativeEndian.Uint64(data))*1e9 + int64(binary.NativeEndian.Uint64(data[8:]))
		}
		step := unix.CmsgSpace(int(c.Len) - unix.SizeofCmsghdr)
		if step <= 0 || step > len(control) {
			break
		}
		control = control[step:]
	}
	return max(segment, 1), arrived
}
