package attendant

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

// TestCallEnds: a program of the name of pvasrun that does not answer is ended.
func TestCallEnds(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pvasrun"), []byte("#!/bin/sh\nexec sleep 1000\n"), 0o755))
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	memory, err := job.Private()
	require.NoError(t, err)
	defer memory.Close()
	a := New(memory, func() {})
	a.limit = 50 * time.Millisecond
	require.ErrorContains(t, a.Call(), dir+"/pvasrun: it has not answered within 50ms")
}
