package sys

import (
	"net/netip"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Receiving into a buffer of the caller, who foresees the next message. Any other message comes
// there as well: Rest takes it to memory of the inbox.

// ReceiveInto takes a message, if one has come: its first bytes come to a buffer of the caller, and
// those that do not fit to the inbox. It does not wait.
func (in *Inbox) ReceiveInto(fd int, to []byte) (ok bool, err error) {
	in.prepare()
	in.into[0].Base = unsafe.SliceData(to)
	in.into[0].SetLen(len(to))
	in.into[1] = in.parts[0]
	h := &in.heads[0].hdr
	h.Iov = &in.into[0]
	h.SetIovlen(len(in.into))
	n, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(h)), unix.MSG_DONTWAIT)
	in.into[0].Base = nil
	in.used = 1
	switch errno {
	case 0:
		in.heads[0].n = uint32(n)
		return true, nil
	case syscall.EAGAIN, syscall.EINTR:
		return false, nil
	}
	return false, wrap("recvmsg", errno)
}

// Into describes the message of ReceiveInto as Message does: n is its length.
func (in *Inbox) Into() (n int, from netip.AddrPort, segment int, arrived int64) {
	return in.describe(0)
}

// Rest returns the message of ReceiveInto but for its first bytes, so many of those in the buffer.
// It is good until the next call of the inbox.
func (in *Inbox) Rest(to []byte, skip int) []byte {
	n := int(in.heads[0].n)
	there := min(n, len(to))
	b := append(in.buffers[inboxBuffer:inboxBuffer], to[skip:there]...)
	return append(b, in.buffers[:n-there]...)
}
