package suci

import (
	"context"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// descriptor finds the descriptor of the endpoint's socket.
func descriptor(t *testing.T, e *Endpoint) int {
	for fd := range 1 << 10 {
		if a, err := syscall.Getsockname(fd); err == nil {
			if a, ok := a.(*syscall.SockaddrInet4); ok && a.Port == int(e.Addr().Port()) {
				return fd
			}
		}
	}
	require.Fail(t, "the socket has no descriptor")
	return -1
}

// destroy makes the endpoint's descriptor one that is no socket, and is always readable.
func destroy(t *testing.T, e *Endpoint) {
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	require.NoError(t, syscall.Dup3(int(null.Fd()), descriptor(t, e), syscall.O_CLOEXEC))
}

// idle lets time pass in which the loop sleeps but for a few times, on average each half of a millisecond.
func idle(t *testing.T, e *Endpoint) {
	begin, before := time.Now(), e.Counters().Waits
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	<-ctx.Done() // the keeper drives
	took := time.Since(begin)
	require.Less(t, e.Counters().Waits-before, uint64(took/(failurePause/2))+50)
}

const failurePause = time.Millisecond // as in suci/udp

// Errors of receiving are losses: blocks of other peers come, and the loop does not spin, though the
// socket tells of an error all the time.
func TestErrorsOfReceivingAreLosses(t *testing.T) {
	for _, more := range []bool{false, true} {
		es := group(t, 2, nil)
		if more { // a loop of several endpoints
			o := es[0].options
			o.With, o.Listen = es[0], loopback
			e, err := Open(o)
			require.NoError(t, err)
			defer e.Close()
		}
		closed, err := net.ListenPacket("udp4", "127.0.0.1:0")
		require.NoError(t, err)
		nobody, err := es[0].Destination(9, closed.LocalAddr().(*net.UDPAddr).AddrPort())
		require.NoError(t, err)
		require.NoError(t, closed.Close())

		// The kernel answers what goes to nobody with an error, which it now tells to the socket.
		fd := descriptor(t, es[0])
		require.NoError(t, syscall.SetsockoptInt(fd, syscall.IPPROTO_IP, syscall.IP_RECVERR, 1))
		require.NoError(t, nobody.TryWrite(Block{Data: pattern(100)}))
		peer := es[0].Peer(1)
		for es[0].Counters().Socket.Failures == 0 { // the next greeting may find it
			idle(t, es[0])
		}
		idle(t, es[0])
		require.NoError(t, peer.Write(t.Context(), Block{Data: pattern(20000)}))
		r, err := es[1].Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, pattern(20000), r.Data)
		r.Free()
		idle(t, es[0])
	}
}

// A socket that is broken ends its endpoint, with an error that says so. Others of the loop go on, and it
// does not spin.
func TestBrokenSocket(t *testing.T) {
	for _, more := range []bool{false, true} {
		es := group(t, 2, nil)
		e := es[0]
		if more {
			o := e.options
			o.With, o.Listen = e, loopback
			var err error
			e, err = Open(o)
			require.NoError(t, err)
			defer e.Close()
		}
		p, err := e.Destination(9, netip.MustParseAddrPort("127.0.0.1:1"))
		require.NoError(t, err)
		written := make(chan error, 1)
		go func() { written <- p.Write(context.Background(), Block{Data: pattern(20000)}) }()
		destroy(t, e)
		_, err = e.Read(t.Context())
		require.ErrorIs(t, err, syscall.ENOTSOCK)
		require.ErrorContains(t, err, "open another endpoint")
		require.ErrorIs(t, <-written, syscall.ENOTSOCK)
		require.ErrorIs(t, p.TryWrite(Block{Data: pattern(1)}), syscall.ENOTSOCK)
		idle(t, e)
		if more {
			require.NoError(t, es[0].Peer(1).Write(t.Context(), Block{Data: pattern(20000)}))
		}
	}
}
