package recording

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/launcher"
)

// TestJobThatDoesNotBegin leaves no file behind: neither a new one, nor one that was emptied for it.
func TestJobThatDoesNotBegin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "job.trace")
	for _, before := range []string{"", "gopvastr and more"} {
		if before != "" {
			require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
		}
		tracing, err := AttachTrace(path, &launcher.Job{})
		require.NoError(t, err)
		require.FileExists(t, path)
		require.NoError(t, tracing.Close())
		require.NoFileExists(t, path)
	}
}
