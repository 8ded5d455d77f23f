package install

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// An installation that fails leaves nothing, but for what was there.
func TestFailedInstall(t *testing.T) {
	tools := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(tools, "go"), []byte("#!/bin/sh\nexit 1\n"), 0o755))
	t.Setenv("PATH", tools+":"+os.Getenv("PATH"))
	t.Setenv("CC", "true")
	t.Setenv("FC", "true")
	top := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(top, "there", "bin"), 0o755))
	for _, dir := range []string{"new/mpi", "there"} {
		err := Install(context.Background(), Config{Dir: filepath.Join(top, dir), Stderr: io.Discard, Log: func(string, ...any) {}})
		require.Error(t, err)
	}
	var left []string
	require.NoError(t, filepath.WalkDir(top, func(path string, _ os.DirEntry, err error) error {
		left = append(left, path[len(top):])
		return err
	}))
	require.Equal(t, []string{"", "/there", "/there/bin"}, left)
}
