package rig

import (
	"bufio"
	"flag"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

var blackout = flag.Duration("rig.blackout", 2*time.Second, "how long the network is away while blocks are under way")

// Two endpoints send each other blocks, and the network goes away for a while. Nothing is lost and
// nothing comes twice: each program checks what comes to it.
func TestBlackout(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "blocks")
	out, err := exec.Command("go", "build", "-o", program, "./testdata/blocks").CombinedOutput()
	require.NoError(t, err, "%s", out)
	r := Up(t, 2)
	const port = ":7471"
	var ends [2]*blocksEnd
	for i := range ends {
		cmd := r.Command(i, program, Address(i).String()+port, Address(1-i).String()+port, "600")
		ends[i] = &blocksEnd{cmd: cmd}
		cmd.Stderr = &ends[i].stderr
		pipe, err := cmd.StdoutPipe()
		require.NoError(t, err)
		ends[i].lines = bufio.NewReader(pipe)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() })
	}
	for _, e := range ends {
		e.says(t, "under way")
	}
	begin := time.Now()
	r.Cut(1)
	time.Sleep(*blackout) // what is tested
	r.Mend(1)
	away := time.Since(begin)
	for _, e := range ends {
		e.says(t, "complete")
		require.NoError(t, e.cmd.Wait(), "%s", &e.stderr)
	}
	t.Logf("the network was away for %v; all had come %v later", away, time.Since(begin)-away)
}

// blocksEnd is a program of testdata/blocks.
type blocksEnd struct {
	cmd    *exec.Cmd
	lines  *bufio.Reader
	stderr testkit.Output
}

// says waits until the program says a line, or has ended.
func (e *blocksEnd) says(t *testing.T, want string) {
	line, err := e.lines.ReadString('\n')
	if err == io.EOF {
		_ = e.cmd.Wait()
	}
	require.Equal(t, want, strings.TrimSpace(line), "%v: %s", err, &e.stderr)
}
