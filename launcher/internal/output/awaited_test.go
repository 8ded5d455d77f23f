package output

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Input is awaited by a process that reads or waits for its standard input, not by one that sleeps or has not read what
// there is.
func TestAwaited(t *testing.T) {
	for _, c := range []struct {
		shell string
		waits bool
	}{
		{"exec cat", true}, {"read x; read x; echo $x", true}, {"exec sleep 1000", false},
		{"cat </dev/null; sleep 1000", false},
		{"cat; true", true},
		{"exec 3<&0; head -1 <&3; true", true},
	} {
		t.Run(c.shell, func(t *testing.T) {
			near, far, err := sys.Pipe(true)
			require.NoError(t, err)
			defer near.Close()
			cmd := exec.Command("sh", "-c", "echo begun; "+c.shell)
			cmd.Stdin = far
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			far.Close()
			defer cmd.Wait()
			defer cmd.Process.Kill()
			_, err = io.ReadFull(out, make([]byte, len("begun\n")))
			require.NoError(t, err)
			if c.waits {
				require.Eventually(t, func() bool { return Awaited(near) }, 20*time.Second, time.Millisecond)
				return
			}
			for range 3 {
				require.False(t, Awaited(near))
			}
			_, err = near.WriteString("unread\n")
			require.NoError(t, err)
			require.False(t, Awaited(near))
		})
	}
}

// A closer notes that it was closed.
type closer struct {
	bytes.Buffer
	closed chan struct{}
}

func (c *closer) Close() error { close(c.closed); return nil }

// refuses takes nothing.
type refuses struct{}

func (refuses) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
func (refuses) Close() error              { return nil }

// All get all of the input, also if it is longer than what one may be behind, and one of them takes nothing.
func TestSpread(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", (mostPieces+10)*pieceSize/16)
	a, b := &closer{closed: make(chan struct{})}, &closer{closed: make(chan struct{})}
	Spread(strings.NewReader(text), []io.WriteCloser{a, refuses{}, b})
	for _, c := range []*closer{a, b} {
		<-c.closed
		require.True(t, c.String() == text)
	}
}
