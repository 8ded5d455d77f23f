package testkit

import (
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// HangReport starts a command that runs a job which hangs, and asks it by SIGQUIT what the ranks
// do. It asks until a report has all lines (regular expressions): a rank says what it waits for
// when it has waited for a while. Each rank first writes the line "up" to its standard output. At
// the end the job is ended by SIGTERM. HangReport returns what it has written to standard error.
func HangReport(t testing.TB, cmd *exec.Cmd, ranks int, lines ...string) string {
	t.Helper()
	var stdout, stderr Output
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(cmd.Environ(), "PVASRUN_DEADLOCK=off") // the test ends the job
	cmd.WaitDelay = time.Minute
	require.NoError(t, cmd.Start())
	defer func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}()
	require.Eventually(t, func() bool { return strings.Count(stdout.String(), "up\n") == ranks },
		time.Minute, time.Millisecond,
		"%s%s", &stdout, &stderr)
	has := func() bool {
		reports := strings.Split(stderr.String(), "what the ranks do:\n")
		for _, line := range lines {
			if !regexp.MustCompile(line).MatchString(reports[len(reports)-1]) {
				return false
			}
		}
		return true
	}
	require.Eventually(t, func() bool { return has() || cmd.Process.Signal(syscall.SIGQUIT) != nil },
		time.Minute, 50*time.Millisecond,
		"not in one report: %q\n%s", lines, &stderr)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait() // the exit code tells
	require.Equal(t, 128+int(syscall.SIGTERM), cmd.ProcessState.ExitCode(), &stderr)
	return stderr.String()
}
