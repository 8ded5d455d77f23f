package neighbour

import (
	"bufio"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/wire"
)

// Supervisors on different nodes greet each other by the user's key. One with another key is refused, and told so; one
// that is another job's is none that was asked for.
func TestLinkOverNodes(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	door, err := Open(51, 0)
	require.NoError(t, err)
	own := Hello{Version: 3, ID: 51, Number: door.Number}
	greeted, served := make(chan error), make(chan struct{})
	go func() {
		defer close(served)
		door.serveFar(func(l *Link) {
			_, err := l.greet(own, 0)
			if err == nil {
				l.Send(Message{Nodes: []int{1}})
			}
			greeted <- err
		})
	}()
	defer func() {
		door.Close()
		<-served
	}()
	at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), door.port)
	l, other, err := reachFar([]netip.AddrPort{at}, Hello{Version: 3, ID: 52}, 51)
	require.NoError(t, err)
	require.NoError(t, <-greeted)
	require.Equal(t, own, other)
	require.True(t, l.from.IsLoopback())
	m, err := l.Receive()
	require.NoError(t, err)
	require.Equal(t, Message{Nodes: []int{1}}, m)
	l.Close()

	_, _, err = reachFar([]netip.AddrPort{at}, Hello{Version: 3, ID: 52}, 53)
	require.ErrorIs(t, err, errEnded)
	<-greeted

	conn, err := sys.DialTCP(at)
	require.NoError(t, err)
	s, err := wire.Seal(conn, make([]byte, wire.SecretSize), false)
	require.NoError(t, err)
	stranger := &Link{conn, at.Addr(), wire.New(s, bufio.NewWriter(s))}
	_, err = stranger.greet(Hello{Version: 3, ID: 54}, 51)
	require.ErrorContains(t, err, "another key than ~/.gopvas/key")
	require.ErrorContains(t, <-greeted, "another key")
}

// Connections that stay silent keep nobody from the door.
func TestSilentStrangers(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	door, err := Open(55, 0)
	require.NoError(t, err)
	own := Hello{Version: 3, ID: 55, Number: door.Number}
	served := make(chan struct{})
	go func() {
		defer close(served)
		door.serveFar(func(l *Link) { _, _ = l.greet(own, 0) })
	}()
	at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), door.port)
	for range 4 * mostStrangers {
		conn, err := sys.DialTCP(at)
		require.NoError(t, err)
		defer conn.Close()
	}
	l, _, err := reachFar([]netip.AddrPort{at}, Hello{Version: 3, ID: 56}, 55)
	require.NoError(t, err)
	l.Close()
	door.Close()
	<-served
}

// The user's key is made once. One that others may read is refused.
func TestUserKey(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	keys := make(chan []byte)
	for range 4 {
		go func() {
			key, _ := userKey()
			keys <- key
		}()
	}
	first := <-keys
	require.Len(t, first, wire.SecretSize)
	for range 3 {
		require.Equal(t, first, <-keys)
	}
	path := filepath.Join(home, keyName)
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, files, 1)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	require.NoError(t, os.Chmod(path, 0o640))
	_, err = userKey()
	require.ErrorContains(t, err, "chmod 600")
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, os.Truncate(path, 5))
	_, err = userKey()
	require.ErrorContains(t, err, "remove it")
}
