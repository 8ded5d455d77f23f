package sys

import (
	"net/netip"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Receiving apart: the heads of a message's datagrams come to memory of the inbox, and what follows
// each head straight to a buffer of the caller. It is for messages that the caller foresees. The
// kernel only knows lengths, so any other message is cut in the same way: Rest puts it together.

// mostApart is the number of datagrams that are taken apart; what is behind them comes to the
// inbox.
const mostApart = 64

// headApart is the longest head.
const headApart = 32

// apart is the memory of a message that was received apart.
type apart struct {
	heads [mostApart * headApart]byte
	// The addresses are numbers: the pieces stay as they are until the caller has another buffer,
	// and must not keep this one. The caller holds it during the call.
	parts       [2*mostApart + 1]place
	used        int // parts
	to          place
	head, piece int
}

// place is a struct iovec whose address the garbage collector does not know.
type place struct{ base, len uintptr }

func placeOf(b []byte) place {
	return place{uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))}
}

// lay lays out the parts: head and piece in turn, until the buffer is full, and one part of the
// inbox for what is behind.
func (a *apart) lay(to []byte, head, piece int, spill []byte) {
	if p := placeOf(to); a.to == p && a.piece == piece && a.head == head {
		return
	} else {
		a.to, a.head, a.piece, a.used = p, head, piece, 0
	}
	for i := 0; i < mostApart && len(to) > 0; i++ {
		n := min(piece, len(to))
		a.parts[a.used] = placeOf(a.heads[i*head:][:head])
		a.parts[a.used+1] = placeOf(to[:n])
		a.used += 2
		to = to[n:]
	}
	a.parts[a.used] = placeOf(spill)
	a.used++
}

// ReceiveApart takes a message, if one has come: of each of its datagrams, head bytes come to the
// inbox, and the others to the next piece bytes of a buffer. It does not wait. head is at most 32.
func (in *Inbox) ReceiveApart(fd int, to []byte, head, piece int) (ok bool, err error) {
	in.prepare()
	in.apart.lay(to, head, piece, in.buffers[:InboxBuffer])
	h := &in.heads[0].hdr
	h.Iov = (*unix.Iovec)(unsafe.Pointer(&in.apart.parts[0]))
	h.SetIovlen(in.apart.used)
	n, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(h)), unix.MSG_DONTWAIT)
	runtime.KeepAlive(to)
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

// Apart returns the heads of the message of ReceiveApart that are whole, if its datagrams have
// the length that was foreseen, and none otherwise; and the rest as Message does.
func (in *Inbox) Apart() (heads []byte, from netip.AddrPort, segment int, arrived int64) {
	a, n := &in.apart, int(in.heads[0].n)
	segment, arrived = in.notes(0, n)
	if segment == a.head+a.piece {
		heads = a.heads[:min(n/segment, a.used/2)*a.head]
	}
	return heads, in.names[0].addr(), segment, arrived
}

// Rest returns the message of ReceiveApart but for so many datagrams, in one piece. to is the
// buffer. It is good until the next call of the inbox.
func (in *Inbox) Rest(to []byte, datagrams int) []byte {
	a := &in.apart
	unit := a.head + a.piece
	b := in.buffers[InboxBuffer:InboxBuffer]
	left := int(in.heads[0].n) - datagrams*unit
	for i := datagrams; left > 0; i++ {
		if 2*i+1 >= a.used {
			return append(b, in.buffers[:left]...)
		}
		head := a.heads[i*a.head:][:min(left, a.head)]
		b, left = append(b, head...), left-len(head)
		body := to[i*a.piece : min((i+1)*a.piece, len(to))]
		body = body[:min(left, len(body))]
		b, left = append(b, body...), left-len(body)
	}
	return b
}
