package runner

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A launcher that is to end is told so once and may clean up. One that does not end is
// killed with what it has started.
func TestPeerIsEnded(t *testing.T) {
	for name, c := range map[string]struct {
		onTerm, says string
		patience     time.Duration
	}{
		"cleans up": {`echo told >&3; rm "$TMPDIR/segment"; exit 0`, "told\n", time.Minute},
		"stubborn":  {``, "", time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			pipe, script := filepath.Join(dir, "pipe"), filepath.Join(dir, "mpirun")
			require.NoError(t, syscall.Mkfifo(pipe, 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "p2p"), nil, 0o700))
			require.NoError(t, os.WriteFile(script, []byte(`#!/bin/sh
trap '`+c.onTerm+`' TERM
exec 3>"$TMPDIR/pipe"
touch "$TMPDIR/segment"
(echo started >&3; exec sleep 1000) &
while :; do wait; done
`), 0o700))
			p := &peer{name: "openmpi", mpirun: script, dir: dir, patience: c.patience}
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("interrupted")
			done := make(chan error, 1)
			go func() {
				_, err := p.run(ctx, Contestant{peer: p}, 2, []string{"p2p"})
				done <- err
			}()

			out, err := os.Open(pipe) // when the script opens it too
			require.NoError(t, err)
			defer func() { require.NoError(t, out.Close()) }()
			begun := make([]byte, len("started\n"))
			_, err = io.ReadFull(out, begun)
			require.NoError(t, err)
			require.Equal(t, "started\n", string(begun))
			cancel(why)
			require.ErrorIs(t, <-done, why)
			said, err := io.ReadAll(out) // ends when no process has it open
			require.NoError(t, err)
			require.Equal(t, c.says, string(said))
			if c.says != "" {
				require.NoFileExists(t, filepath.Join(dir, "segment"))
			}
		})
	}
}

// TestPeerIsKilled: the code is that of a shell, and the signal is told.
func TestPeerIsKilled(t *testing.T) {
	p := &peer{name: "openmpi", dir: t.TempDir(), patience: time.Minute}
	_, err := p.execute(t.Context(), "sh", "-c", "kill -9 $$")
	failed, ok := errors.AsType[*JobError](err)
	require.True(t, ok, err)
	require.Equal(t, JobError{137, "it was killed: killed"}, *failed)
}
