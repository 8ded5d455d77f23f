package programs

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The command that -v prints attaches gdb to a rank that hangs. It shows who has called MPI_Recv, with variables, in
// both task models, although the call waits on the stack of a goroutine.
func TestDebuggerShowsCallers(t *testing.T) {
	needs(t, "gdb")
	program := build(t, "debugged.c", "-g", "-O0")
	eachModel(t, func(t *testing.T, w way) {
		job := exec.Command(tool("pvasrun"), "--btl", w.btl, "-v", "--deadlock", "off", "-n", "2", program)
		stderr, err := job.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, job.Start())
		defer func() { _ = job.Wait() }()
		defer func() { _ = job.Process.Signal(os.Interrupt) }()
		var command []string
		for log := bufio.NewScanner(stderr); command == nil && log.Scan(); {
			if _, text, ok := strings.Cut(log.Text(), "rank 1: to debug it: pvasrun "); ok {
				command = strings.Fields(text)
			}
		}
		require.NotNil(t, command, "-v has not said how")
		command = append(command, "--", "-nx", "-batch", "-ex", "bt", "-ex", "frame function my_exchange", "-ex",
			"print secret")
		var out []byte
		require.Eventually(t, func() bool { // it waits soon
			out, err = exec.Command(tool("pvasrun"), command...).CombinedOutput()
			return err != nil || strings.Contains(string(out), "$1 = 4711")
		}, time.Minute, time.Millisecond, "%s", &out)
		if strings.Contains(string(out), "Operation not permitted") {
			require.Empty(t, os.Getenv("CI"), "CI must permit ptrace")
			t.Skipf("ptrace is not permitted: %s", out)
		}
		require.NoError(t, err, "%s", out)
		require.Regexp(t, `(?s)in PMPI_Recv .* in my_exchange \(peer=0\) .*debugged.c:\d+.* in main `, string(out))
	})
}
