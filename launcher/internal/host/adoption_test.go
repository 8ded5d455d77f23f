package host

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
)

// A child that has ended still has its pid when the supervisor is told that it is about to be reaped,
// whatever other children there are.
func TestReapingIsToldBefore(t *testing.T) {
	for _, other := range []bool{false, true} {
		if other {
			launchertest.StartSleep(t)
		}
		a, err := Adopt()
		require.NoError(t, err)
		defer a.End()
		pid := ended(t)
		var told []int
		e, err := a.NextExit(func(pid int) {
			told = append(told, pid)
			require.NoError(t, sys.Kill(pid, 0))
		})
		require.NoError(t, err)
		require.Equal(t, Exit{Pid: pid, Used: e.Used}, e)
		require.Equal(t, []int{pid}, told)
		require.Error(t, sys.Kill(pid, 0))
		_, err = a.NextExit(func(pid int) { t.Errorf("%d", pid) })
		require.ErrorIs(t, err, syscall.ECHILD)
	}
}

// A child that has not been reaped yet hides no later one.
func TestKillAllFindsNew(t *testing.T) {
	a, err := Adopt()
	require.NoError(t, err)
	defer a.End()
	first := launchertest.StartSleep(t)
	require.Equal(t, []int{first}, a.KillAll())
	later := launchertest.StartSleep(t)
	require.Contains(t, a.KillAll(), later)
}

// A child that is known, and has been reaped, is not killed: its pid may be a stranger's. One that lives is killed
// before others are looked for.
func TestKillAllOfKnown(t *testing.T) {
	a, err := Adopt()
	require.NoError(t, err)
	defer a.End()
	reaped := ended(t)
	a.Knows(reaped)
	e, err := a.NextExit(func(int) {})
	require.NoError(t, err)
	require.Equal(t, reaped, e.Pid)
	require.Empty(t, a.KillAll())
	reaped = ended(t)
	a.Knows(reaped)
	_, err = sys.WaitPid(reaped) // as another goroutine may
	require.NoError(t, err)
	require.Empty(t, a.KillAll())
	known, other := launchertest.StartSleep(t), launchertest.StartSleep(t)
	a.Knows(known)
	require.Equal(t, []int{known}, a.KillAll())
	require.Contains(t, a.KillAll(), other)
}

// Others are not looked for while known children end: there are as many processes as the node has.
func TestKillAllWaitsForKnown(t *testing.T) {
	a, err := Adopt()
	require.NoError(t, err)
	defer a.End()
	first, second, other := launchertest.StartSleep(t), launchertest.StartSleep(t), launchertest.StartSleep(t)
	a.Knows(first)
	a.Knows(second)
	require.ElementsMatch(t, []int{first, second}, a.KillAll())
	require.NoError(t, sys.AwaitEnd(first))
	delete(a.known, first) // as NextExit does
	require.Equal(t, []int{second}, a.KillAll())
	require.NoError(t, sys.AwaitEnd(second))
	delete(a.known, second)
	require.Contains(t, a.KillAll(), other)
}

// ended starts a child that has ended, and is not reaped.
func ended(t *testing.T) (pid int) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(t, err)
	defer null.Close()
	pid, err = sys.Start("/bin/true", []string{"true"}, nil, "/", []*os.File{null, null, null}, nil)
	require.NoError(t, err)
	require.NoError(t, sys.AwaitEnd(pid))
	return pid
}
