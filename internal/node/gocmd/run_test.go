package gocmd

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// envScript has this program run a shell script as if it were the go command.
const envScript = "GOCMD_TEST_SCRIPT"

func TestMain(m *testing.M) {
	script := os.Getenv(envScript)
	if script == "" {
		testkit.TakeSignals()
		os.Exit(m.Run())
	}
	if err := Run(exec.CommandContext(context.Background(), "sh", "-c", script), os.TempDir()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A command gets an INT when the process is killed that runs it.
func TestCommandEndsWithItsRunner(t *testing.T) {
	dir := t.TempDir()
	runner := exec.Command("/proc/self/exe")
	runner.Dir = dir
	runner.Env = append(os.Environ(),
		envScript+"=trap 'kill $!; echo > ended; exit' INT; sleep 100 & echo > begun; wait")
	require.NoError(t, runner.Start())
	require.Eventually(t, there(filepath.Join(dir, "begun")), time.Minute, time.Millisecond)
	require.NoError(t, runner.Process.Kill())
	require.Error(t, runner.Wait())
	require.Eventually(t, there(filepath.Join(dir, "ended")), time.Minute, time.Millisecond)
}

func there(path string) func() bool {
	return func() bool {
		_, err := os.Stat(path)
		return err == nil
	}
}
