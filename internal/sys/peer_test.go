package sys

import (
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A connection of a process is found, and its peer's kernel answers though no process does.
func TestConnectionOf(t *testing.T) {
	listener, at, err := ListenTCP(netip.MustParseAddrPort("127.0.0.1:0"))
	require.NoError(t, err)
	defer listener.Close()
	_, ok := ConnectionOf(os.Getpid(), int(listener.Fd()))
	require.False(t, ok, "it has no peer")
	_, ok = ConnectionOf(os.Getpid(), 0)
	require.False(t, ok, "it is no socket")
	f, err := DialTCP(at)
	require.NoError(t, err)
	defer f.Close()
	for silent := time.Duration(0); ; {
		c, ok := ConnectionOf(os.Getpid(), int(f.Fd()))
		if !ok && silent == 0 {
			t.Skip("this process may not look at its own descriptors: pidfd_getfd")
		}
		require.True(t, ok)
		require.True(t, c.Open)
		require.Equal(t, at, c.Peer)
		if c.Silent < silent {
			break // it has answered
		}
		silent = max(c.Silent, 1)
		time.Sleep(10 * time.Millisecond)
	}
}

func TestParsePeer(t *testing.T) {
	for _, bad := range []string{"", ":", "0100007F", "0100007F:", "0100007F:10000", "x:1",
		"00000000000000000000000101000000:1"} {
		require.False(t, parsePeer(bad).IsValid(), bad)
	}
	require.Equal(t, "0.0.0.0:22", parsePeer("00000000:0016").String())
}
