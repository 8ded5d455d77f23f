package gopvas

import (
	"io/fs"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A package that the library needs and that is not embedded would be missing only at users'.
func TestSourcesHaveAllOfTheLibrary(t *testing.T) {
	const module = "github.com/gopvas/gopvas"
	cmd := exec.Command("go", "list", "-deps", "./cmd/libmpi")
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=1")
	out, err := cmd.Output()
	require.NoError(t, err)
	found := 0
	for _, large := range []string{"demangle", "debug/elf", "debug/dwarf", "encoding/gob"} {
		require.NotContains(t, string(out), large, "it is for pvasrun: ranks have a copy each of what they import")
	}
	for pkg := range strings.FieldsSeq(string(out)) {
		if folder, ours := strings.CutPrefix(pkg, module+"/"); ours {
			_, err := fs.Stat(Sources, folder)
			require.NoError(t, err, "add it to Sources")
			found++
		}
	}
	require.Greater(t, found, 10, "go list -deps has not listed the library")
}
