package sys

import (
	"net/netip"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// receiveAll takes so many datagrams, however they are put together.
func receiveAll(t *testing.T, fd int, in *Inbox, want int) (datagrams []string, from netip.AddrPort) {
	t.Helper()
	for len(datagrams) < want {
		var set PollSet
		set.Add(fd)
		set.Wait(-1)
		n, err := in.Receive(fd, 4)
		require.NoError(t, err)
		for i := range n {
			b, sender, segment, arrived := in.Message(i)
			from = sender
			require.InDelta(t, time.Now().UnixNano(), arrived, 10e9)
			for len(b) > 0 {
				n := min(segment, len(b))
				datagrams = append(datagrams, string(b[:n]))
				b = b[n:]
			}
		}
	}
	return datagrams, from
}

func TestSendAndReceiveMany(t *testing.T) {
	for _, local := range []string{"127.0.0.1:0", "[::1]:0", "[::]:0"} {
		t.Run(local, func(t *testing.T) {
			a, err := UDPSocket(netip.MustParseAddrPort(local))
			if err != nil && local != "127.0.0.1:0" {
				t.Skipf("no IPv6: %v", err)
			}
			require.NoError(t, err)
			defer CloseFD(a)
			require.NoError(t, UDPCoalesce(a))
			UDPBuffers(a, 1<<20)
			to, err := LocalAddress(a)
			require.NoError(t, err)
			ipv6 := to.Addr().Is6()
			if to.Addr().IsUnspecified() { // IPv4 to a socket of IPv6
				to = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), to.Port())
			}
			out, in := NewOutbox(4, ipv6), NewInbox(4)
			out.Message(to, 0, []byte("one"))
			out.Message(to, 4, []byte("abcdefghi"))
			sent, err := out.Send(a)
			require.NoError(t, err)
			require.Equal(t, 2, sent)
			got, from := receiveAll(t, a, in, 4)
			require.Equal(t, []string{"one", "abcd", "efgh", "i"}, got)
			require.Equal(t, to, from)
			n, err := in.Receive(a, 4)
			require.NoError(t, err)
			require.Zero(t, n)
		})
	}
}

// Descriptors that can receive nothing are told from sockets that have an error for once.
func TestReceiveBroken(t *testing.T) {
	event, err := EventFD()
	require.NoError(t, err)
	defer CloseFD(event)
	in := NewInbox(2)
	for fd, want := range map[int]syscall.Errno{-1: syscall.EBADF, event: syscall.ENOTSOCK} {
		for most := range 2 {
			_, err := in.Receive(fd, 1+most)
			require.ErrorIs(t, err, want)
			require.True(t, ReceiveBroken(err))
		}
		_, err := in.ReceiveInto(fd, make([]byte, 10))
		require.ErrorIs(t, err, want)
		require.True(t, ReceiveBroken(err))
	}
	for _, errno := range []syscall.Errno{syscall.ENOMEM, syscall.ENOBUFS, syscall.ECONNREFUSED,
		syscall.EHOSTUNREACH, syscall.ENETUNREACH,
		syscall.ENETDOWN, syscall.EPERM, syscall.EACCES, syscall.EMSGSIZE, syscall.EPROTO, syscall.ETIMEDOUT} {
		require.False(t, ReceiveBroken(wrap("recvmsg", errno)), errno)
	}
}
