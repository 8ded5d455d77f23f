package programs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// pvaspython is the command, or the test is skipped where Python cannot be built on, but not in CI.
func pvaspython(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat(tool("pvaspython")); err != nil {
		require.Empty(t, os.Getenv("CI"), "CI must have python3-dev")
		t.Skip("pvaspython is not installed: python3-dev is missing")
	}
	return tool("pvaspython")
}

// Ranks in Python share an address space: pvasrun has nothing to say of them.
func TestPython(t *testing.T) {
	python := pvaspython(t)
	library := filepath.Join(installed, "lib", "libmpi_abi.so.1")
	eachWay(t, func(t *testing.T, w way) {
		for _, name := range turns(w, library, filepath.Base(library)) {
			out := w.ends(t, 3, python, filepath.Join("testdata", "ring.py"), name)
			for r := range 3 {
				require.Contains(t, out, fmt.Sprintf("rank %d of 3\n", r))
			}
		}
	})
}

// pvaspython is the Python of an active virtual environment.
func TestPythonEnvironment(t *testing.T) {
	python := pvaspython(t)
	dir := filepath.Join(t.TempDir(), "environment")
	_, stderr, code := run(t, nil, python, "-m", "venv", "--without-pip", dir)
	require.Equal(t, 0, code, stderr)
	out, stderr, code := run(t, []string{"VIRTUAL_ENV=" + dir}, python, "-c", "import sys; print(sys.prefix)")
	require.Equal(t, 0, code, stderr)
	require.Equal(t, dir+"\n", out)
	_, _, code = run(t, nil, python, "-c", "import sys; sys.exit(7)")
	require.Equal(t, 7, code)
}
