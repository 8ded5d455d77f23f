package runner

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a launcher leaves is killed, and the folder of the peer is removed. Others are left alone.
func TestGuardOfPeer(t *testing.T) {
	p := &peer{name: "openmpi", dir: t.TempDir(), patience: 100 * time.Millisecond}
	end, err := p.guard()
	require.NoError(t, err)
	start := func(dir string) *exec.Cmd {
		cmd := exec.Command("sleep", "1000")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Env = append(os.Environ(), "TMPDIR="+dir)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		return cmd
	}
	left, other := start(p.dir), start(p.dir+"1")
	end()
	require.ErrorContains(t, left.Wait(), "killed")
	require.NoDirExists(t, p.dir)
	require.NoError(t, other.Process.Signal(syscall.SIGTERM)) // it lives
	require.Error(t, other.Wait())
}
