package sys

import (
	"encoding/binary"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
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

// The kernel of the other side answers, though no process there reads. Package rig tests one that does not.
func TestStreamIsAnswered(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", "[::]:0"} { // by the second one IPv4 comes in the form of IPv6
		listener, address, err := ListenTCP(netip.MustParseAddrPort(at))
		require.NoError(t, err)
		defer listener.Close()
		f, err := DialTCP(netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), address.Port()))
		require.NoError(t, err)
		defer f.Close()
		_, err = f.WriteString("nobody reads this")
		require.NoError(t, err)
		s := StreamOf(f)
		d, ok := s.Unanswered()
		if !ok {
			t.Skip("the kernel does not tell of connections: sock_diag")
		}
		require.Zero(t, d)
		accepted, err := AcceptTCP(listener)
		require.NoError(t, err)
		defer accepted.Close()
		require.Equal(t, s.Reverse(), StreamOf(accepted))
		d, ok = s.Reverse().Unanswered()
		require.True(t, ok)
		require.Zero(t, d)
		s.There = netip.AddrPortFrom(s.There.Addr(), 1)
		_, ok = s.Unanswered()
		require.False(t, ok, "there is no such connection")
	}
	_, ok := Stream{}.Unanswered()
	require.False(t, ok)
}

// diagMessage is an answer of the kernel with one attribute.
func diagMessage(state byte, retransmits, probes byte, lastAck uint32) []byte {
	info := make([]byte, 104)
	info[infoRetransmits], info[infoProbes] = retransmits, probes
	binary.NativeEndian.PutUint32(info[infoLastAck:], lastAck)
	b := make([]byte, nlHeader+diagAnswer)
	binary.NativeEndian.PutUint16(b[4:], unix.SOCK_DIAG_BY_FAMILY)
	b[nlHeader+1] = state
	b = append(b, 5, 0, 8, 0, 1, 0, 0, 0) // another attribute, of one byte
	b = binary.NativeEndian.AppendUint16(b, uint16(4+len(info)))
	return append(binary.NativeEndian.AppendUint16(b, diagInfo), info...)
}

func TestParseDiag(t *testing.T) {
	for name, c := range map[string]struct {
		b  []byte
		d  time.Duration
		ok bool
	}{
		"asked again and again": {diagMessage(unix.BPF_TCP_ESTABLISHED, 3, 0, 4200), 4200 * time.Millisecond, true},
		"probed":                {diagMessage(unix.BPF_TCP_ESTABLISHED, 0, 2, 1), time.Millisecond, true},
		"not asked":             {diagMessage(unix.BPF_TCP_ESTABLISHED, 0, 0, 4200), 0, true},
		"one loss":              {diagMessage(unix.BPF_TCP_ESTABLISHED, 1, 0, 4200), 0, true},
		"closed":                {diagMessage(unix.BPF_TCP_CLOSE, 3, 0, 4200), 0, false},
		"nothing":               {nil, 0, false},
		"cut": {diagMessage(unix.BPF_TCP_ESTABLISHED, 3, 0, 4200)[:nlHeader+diagAnswer+50],
			0, false},
	} {
		d, ok := parseDiag(c.b)
		require.Equal(t, c.ok, ok, name)
		require.Equal(t, c.d, d, name)
	}
}

func FuzzParseDiag(f *testing.F) {
	f.Add(diagMessage(unix.BPF_TCP_ESTABLISHED, 3, 0, 4200))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, ok := parseDiag(b)
		require.False(t, d < 0 || !ok && d != 0)
	})
}
