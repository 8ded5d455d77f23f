package launcher

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
)

// Under nohup, and in the background of a script, what is ignored stays so in every process of a job, in both
// task models: it survives what the session is sent at its end.
func TestIgnoredSignalsAreInherited(t *testing.T) {
	shell, err := exec.LookPath("sh")
	require.NoError(t, err)
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		p := startPvasrun(t, ranks(btl, 2, "block"), func(cmd *exec.Cmd) {
			cmd.Args = []string{"sh", "-c", `trap '' HUP INT; exec "$0"`, cmd.Path}
			cmd.Path = shell
		})
		for _, pid := range append(p.AwaitRanks(2), p.Child(host.Name), p.Child(host.GuardName), p.Cmd.Process.Pid) {
			for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT} {
				require.True(t, ignores(t, pid, sig), "process %d, %v", pid, sig)
				require.NoError(t, sys.Kill(pid, sig))
			}
		}
		require.NoError(t, sys.Kill(p.Cmd.Process.Pid, syscall.SIGTERM))
		require.Equal(t, 143, p.Code(), p.Stderr)
		require.NotContains(t, p.Stderr.String(), "pvasrun:")
	})
}

// ignores tells whether a process ignores a signal.
func ignores(t *testing.T, pid int, sig syscall.Signal) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	mask, err := strconv.ParseUint(string(regexp.MustCompile(`SigIgn:\s*(\w+)`).FindSubmatch(status)[1]), 16, 64)
	require.NoError(t, err)
	return mask>>(sig-1)&1 != 0
}
