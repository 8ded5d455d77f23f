package cluster

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/wire"
)

func TestCastMembers(t *testing.T) {
	members := []member{
		{"a", "A", 10, 2, []byte{1}}, {"b", "B", 10, 1, []byte{1}},
		{"a", "A", 11, 2, []byte{2, 1}}, {"b", "B", 12, 3, []byte{8}},
	}
	var n Nodes
	roles := castMembers(members, &n)
	require.Equal(t, []Host{{"a", 4}, {"b", 4}}, n.Hosts)
	require.Len(t, n.joined, 1)
	require.NotNil(t, n.joined[1])
	require.Equal(t, []role{
		{CPUs: []byte{3, 1}}, {Number: 1, CPUs: []byte{9}}, {Wait: 10}, {Wait: 10},
	}, roles)
	largest := role{Number: 1 << 16, CPUs: bytes.Repeat([]byte{255}, 128), Secret: make([]byte, wire.SecretSize)}
	for range 8 {
		largest.At = append(largest.At, netip.MustParseAddrPort("[fe80:1111:2222:3333:4444:5555:6666:7777]:65535"))
	}
	text, err := json.Marshal(largest)
	require.NoError(t, err)
	require.Less(t, len(text), 1023*3/4-1, "launchers take 1,023 characters, of 6 bits each")
}

// openTest is a door for one agent, number 1.
func openTest(t *testing.T) (d *door, at netip.AddrPort) {
	d, err := openDoor(bytes.Repeat([]byte{7}, wire.SecretSize), map[int]*joined{1: newJoined()})
	require.NoError(t, err)
	served := make(chan struct{})
	go func() {
		defer close(served)
		d.serve()
	}()
	t.Cleanup(func() {
		d.close()
		<-served
	})
	return d, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), d.port)
}

// The agent finds the leader among addresses that are not its, and they talk.
func TestJoin(t *testing.T) {
	d, at := openTest(t)
	other, foreign, err := sys.ListenTCP(netip.MustParseAddrPort("127.0.0.1:0"))
	require.NoError(t, err)
	go func() { // a service that is not the leader
		for {
			conn, err := sys.AcceptTCP(other)
			if err != nil {
				return
			}
			_, _ = conn.Write(make([]byte, 1000))
			conn.Close()
		}
	}()
	defer other.Close()
	conn, below, err := joinLeader([]netip.AddrPort{foreign, at}, d.secret, 1)
	require.NoError(t, err)
	require.Equal(t, at, below.There)
	text := bytes.Repeat([]byte("0123456789"), 50_000) // several records
	go func() { _, _ = conn.Write(text) }()
	got := make([]byte, len(text))
	_, err = io.ReadFull(d.agents[1], got)
	require.NoError(t, err)
	require.True(t, bytes.Equal(text, got))
	go func() { _, _ = d.agents[1].Write([]byte("back")) }()
	_, err = io.ReadFull(conn, got[:4])
	require.NoError(t, err)
	require.Equal(t, "back", string(got[:4]))
	require.NoError(t, d.agents[1].Close())
	_, err = conn.Read(got)
	require.ErrorIs(t, err, io.EOF)
}

// Those without the secret, without a place, or that come second are sent away.
func TestStrangers(t *testing.T) {
	d, at := openTest(t)
	for name, c := range map[string]struct {
		secret byte
		number int
	}{"another secret": {8, 1}, "no such node": {7, 2}} {
		conn, err := net.Dial("tcp", at.String())
		require.NoError(t, err)
		s, err := wire.Seal(conn, bytes.Repeat([]byte{c.secret}, wire.SecretSize), false)
		require.NoError(t, err)
		_, err = s.Write([]byte{byte(c.number), 0, 0, 0})
		require.NoError(t, err)
		_, err = s.Read(make([]byte, 1))
		require.Error(t, err, name)
		conn.Close()
	}
	first, _, err := joinLeader([]netip.AddrPort{at}, d.secret, 1)
	require.NoError(t, err)
	defer first.Close()
	<-d.agents[1].ready
	_, _, err = joinLeader([]netip.AddrPort{at}, d.secret, 1)
	require.Error(t, err)
}

// An agent that never comes keeps nobody waiting.
func TestJoinedThatDoesNotCome(t *testing.T) {
	j := newJoined()
	ended := make(chan error)
	go func() {
		_, err := j.Read(make([]byte, 1))
		ended <- err
	}()
	require.NoError(t, j.Close())
	require.ErrorIs(t, <-ended, os.ErrClosed)
	require.False(t, j.take(&wire.Sealed{}, nil))
}

// input is a connection with a given input.
type input struct {
	io.Reader
	bytes.Buffer
}

func (w *input) Read(b []byte) (int, error) { return w.Reader.Read(b) }
func (*input) Close() error                 { return nil }

// What a stranger sends never opens, is no crash, and takes little memory.
func FuzzSealed(f *testing.F) {
	f.Add(make([]byte, 100))
	f.Add(append(make([]byte, 32), 0xff, 0xff, 0xff, 0xff, 1))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := wire.Seal(&input{Reader: bytes.NewReader(slices.Clone(b))}, make([]byte, wire.SecretSize), true)
		if err != nil {
			return
		}
		n, err := s.Read(make([]byte, 10))
		require.Error(t, err)
		require.Zero(t, n)
	})
}

func TestLeaderAddresses(t *testing.T) {
	at := leaderAddresses(netip.Prefix{}, 7)
	require.NotEmpty(t, at)
	require.Equal(t, uint16(7), at[0].Port())
	require.Empty(t, leaderAddresses(netip.MustParsePrefix("203.0.113.0/24"), 7))
	_, _, err := joinLeader(nil, nil, 1)
	require.ErrorContains(t, err, "it has no address")
	begin := time.Now()
	_, _, err = joinLeader([]netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:1")}, nil, 1)
	require.ErrorContains(t, err, "a firewall must let TCP pass")
	require.Less(t, time.Since(begin), joinTime)
}
