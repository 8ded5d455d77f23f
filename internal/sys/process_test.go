package sys

import (
	"io"
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func startTrue(t *testing.T) int {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(t, err)
	defer null.Close()
	pid, err := Start("/bin/sh", []string{"sh", "-c", "exit 7"}, nil, "/", []*os.File{null, null, null}, nil)
	require.NoError(t, err)
	return pid
}

// A thread waits for its own children only.
func TestWaitThread(t *testing.T) {
	runtime.LockOSThread() // never unlocked: the thread ends with the test
	require.False(t, ThreadHasChildren(), "every test reaps what it starts")
	_, _, err := WaitThread()
	require.ErrorIs(t, err, syscall.ECHILD)
	pid := startTrue(t)
	require.True(t, ThreadHasChildren())

	elsewhere := make(chan bool)
	go func() {
		runtime.LockOSThread() // another thread, as this one is taken
		elsewhere <- ThreadHasChildren()
	}()
	require.False(t, <-elsewhere)

	got, status, err := WaitThread()
	require.NoError(t, err)
	require.Equal(t, pid, got)
	require.Equal(t, 7, status.ExitStatus())
	require.False(t, ThreadHasChildren())
}

func TestWaitPid(t *testing.T) {
	status, err := WaitPid(startTrue(t))
	require.NoError(t, err)
	require.Equal(t, 7, status.ExitStatus())
	_, err = WaitPid(os.Getpid())
	require.ErrorIs(t, err, syscall.ECHILD)
}

// The far end goes to a program that knows nothing of non-blocking descriptors.
func TestPipeFarEndBlocks(t *testing.T) {
	for _, write := range []bool{false, true} {
		near, far, err := Pipe(write)
		require.NoError(t, err)
		require.True(t, nonBlocking(t, near))
		require.False(t, nonBlocking(t, far))
		from, to := near, far
		if write {
			from, to = far, near
		}
		_, err = io.WriteString(to, "text")
		require.NoError(t, err)
		require.NoError(t, to.Close())
		text, err := io.ReadAll(from)
		require.NoError(t, err)
		require.Equal(t, "text", string(text))
		require.NoError(t, from.Close())
	}
}

// nonBlocking asks without Fd, which would change the answer.
func nonBlocking(t *testing.T, f *os.File) (is bool) {
	t.Helper()
	raw, err := f.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) {
		flags, err := statusFlags(fd)
		require.NoError(t, err)
		is = flags&syscall.O_NONBLOCK != 0
	}))
	return is
}

func TestChildSubreaper(t *testing.T) {
	was, err := ChildSubreaper()
	require.NoError(t, err)
	require.NoError(t, SetChildSubreaper(!was))
	now, err := ChildSubreaper()
	require.NoError(t, err)
	require.Equal(t, !was, now)
	require.NoError(t, SetChildSubreaper(was))
}

func TestSignalName(t *testing.T) {
	require.Equal(t, "SIGSEGV", SignalName(syscall.SIGSEGV))
	require.Equal(t, "signal 40", SignalName(syscall.Signal(40)))
}

func TestProgramFileRunsAndIsSealed(t *testing.T) {
	f, err := ProgramFile("script")
	require.NoError(t, err)
	defer f.Close()
	_, err = f.WriteString("text")
	require.NoError(t, err)
	require.NoError(t, SealProgram(f))
	_, err = f.WriteString("more")
	require.ErrorIs(t, err, syscall.EPERM)
}
