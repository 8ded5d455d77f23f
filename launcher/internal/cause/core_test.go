package cause

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The file of a core dump is found by the pattern of the kernel: the newest one that is not older than the rank.
func TestCoreFiles(t *testing.T) {
	for pattern, want := range map[string]string{
		"core": "core", "core.%p": "core.42", "/var/%e/%E-%p-%%.%t": "/var/*/*-42-%.*", "a[b]%": `a\[b]`,
	} {
		require.Equal(t, want, coreGlob(pattern, 42))
	}
	dir, now := t.TempDir(), time.Now()
	for name, age := range map[string]time.Duration{"core.1": time.Hour, "core.2": 0, "core.3": -time.Hour} {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, nil, 0o600))
		require.NoError(t, os.Chtimes(name, now, now.Add(-age)))
	}
	require.Equal(t, filepath.Join(dir, "core.3"), newest(filepath.Join(dir, "core.*"), now))
	require.Equal(t, filepath.Join(dir, "core.2"), newest(filepath.Join(dir, "core.2"), now))
	require.Empty(t, newest(filepath.Join(dir, "core.1"), now))
}
