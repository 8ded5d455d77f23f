package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A link to a file that is not there stays, and so does its target's absence.
func TestLinkToNoFileIsWritable(t *testing.T) {
	dir := t.TempDir()
	link, target := filepath.Join(dir, "link"), filepath.Join(dir, "target")
	require.NoError(t, os.Symlink("target", link))
	require.NoError(t, Writable(link, Page))
	_, err := os.Lstat(link)
	require.NoError(t, err)
	require.NoFileExists(t, target)
}
