package house

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// profiled finds the package of a function of this module.
var profiled = regexp.MustCompile(regexp.QuoteMeta(module) + `/([a-z0-9/]+)\.`)

// sourceNames finds files, whose names look like those of functions.
var sourceNames = regexp.MustCompile(`[\w/]+\.go([^a-z]|$)`)

// The compiler ignores what the profile of the MPI library says of packages that have moved.
func TestProfileNamesPackages(t *testing.T) {
	packed, err := os.ReadFile(filepath.Join("..", "..", "cmd", "libmpi", "default.pgo"))
	require.NoError(t, err)
	r, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	profile, err := io.ReadAll(r)
	require.NoError(t, err)
	profile = sourceNames.ReplaceAll(profile, nil)
	found := profiled.FindAllSubmatch(profile, -1)
	require.Greater(t, len(found), 100)
	for _, m := range found {
		require.DirExists(t, filepath.Join("..", "..", string(m[1])), "%s: rename it in default.pgo", m[0])
	}
}
