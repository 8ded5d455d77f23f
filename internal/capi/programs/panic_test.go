package programs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// withDefect has MPI_Alloc_mem panic: it writes to a map that is nil.
const withDefect = "package capi\n\nfunc init() { process.memory = nil }\n"

// TestPanics: a rank that dies of a defect of the library tells its text and its place. The
// library under test is one with a defect.
func TestPanics(t *testing.T) {
	testkit.OnlyLong(t) // it builds the library anew
	dir := t.TempDir()
	defect := filepath.Join(dir, "defect.go")
	require.NoError(t, os.WriteFile(defect, []byte(withDefect), 0o600))
	added, err := filepath.Abs("../defect.go")
	require.NoError(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{added: defect}})
	require.NoError(t, err)
	list := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(list, overlay, 0o600))
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-overlay", list,
		"-o", filepath.Join(dir, "libmpi_abi.so.1"), "../../../cmd/libmpi")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)

	program := build(t, "panic.c")
	t.Setenv("LD_LIBRARY_PATH", dir)
	eachWay(t, func(t *testing.T, w way) {
		for _, args := range [][]string{nil, {"callback"}} {
			_, stderr, code := w.start(t, 1, program, args...)
			require.NotZero(t, code)
			require.Contains(t, stderr, "assignment to entry in nil map")
			require.Contains(t, stderr, "capi.(*Process).Alloc_mem")
			require.Contains(t, stderr, "rank 0")
			require.NotContains(t, stderr, "morestack")
		}
	})
}
