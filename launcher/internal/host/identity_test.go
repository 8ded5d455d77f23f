package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgramsAreToldApartByTheirFile(t *testing.T) {
	p := programIDs{}
	path, link := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	require.Zero(t, p.number(path), "there is none")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o700))
	require.NoError(t, os.Symlink(path, link))
	first := p.number(path)
	require.NotZero(t, first)
	require.Equal(t, first, p.number(link), "the same file by another path")

	fresh := path + ".new"
	require.NoError(t, os.WriteFile(fresh, []byte("two"), 0o700))
	require.NoError(t, os.Rename(fresh, path))
	second := p.number(path)
	require.NotZero(t, second)
	require.NotEqual(t, first, second, "another file by the same path")
	require.NoError(t, os.WriteFile(path, []byte("longer"), 0o700))
	require.NotEqual(t, second, p.number(path), "the same file with other contents")
}
