package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The place is found in this version of Go, and what takes its turn can be built. That handlers of signals work by it
// is tested in an emulated machine (.ci/arm64 c).
func TestWithoutFramePointers(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	dir := t.TempDir()
	flags, err := WithoutFramePointers(strings.TrimSpace(string(root)), dir)
	require.NoError(t, err)
	require.NotEmpty(t, flags, "getfp of %s is another one: look what frame pointers are for now", runtime.Version())
	text, err := os.ReadFile(filepath.Join(dir, "asm_arm64.s"))
	require.NoError(t, err)
	require.Contains(t, string(text), noFramePointer)
	cmd := exec.Command("go", append(append([]string{"build", "-trimpath"}, flags...), "runtime")...)
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
