package launcher

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/streams"
)

// A process that uses CPU time is waited for: so does one that was killed, as long as it gives memory back. One that
// does nothing is left behind, and then no job succeeds.
func TestKilledAreWaitedForWithProgress(t *testing.T) {
	require.Less(t, fate.CodeError, 256)
	orphans, err := host.Adopt()
	require.NoError(t, err)
	defer orphans.End()
	cmd := exec.Command("/bin/sh", "-c", "while :; do :; done")
	require.NoError(t, cmd.Start())
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	s := &supervisor{Adoption: orphans, plan: &plan{job: &Job{}}}
	s.io = streams.New(streams.Config{Stderr: os.Stderr})
	require.NoError(t, s.io.Open())
	defer s.io.Close()
	s.phase = sweeping
	s.awaitKilled()
	require.Nil(t, s.left, "most have ended before they are looked at")
	s.late()
	require.False(t, s.givenUp)
	require.Eventually(t, func() bool { return s.Left().Less(*s.left) }, time.Minute, 10*time.Millisecond)
	s.late()
	require.False(t, s.givenUp)

	require.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))
	require.Eventually(t, func() bool { // until it is seen to stand still
		s.awaitKilled()
		s.late()
		time.Sleep(50 * time.Millisecond)
		s.late()
		return s.givenUp
	}, time.Minute, time.Millisecond)
	s.fate.LeftBehind()
	require.Equal(t, fate.CodeError, s.fate.Code)

	before := s.Left()
	require.NoError(t, sys.Kill(cmd.Process.Pid, syscall.SIGKILL))
	require.Error(t, cmd.Wait())
	require.True(t, s.Left().Less(before))
}
