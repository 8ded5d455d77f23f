package sys

import (
	"fmt"
	"io"
	"os"
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

// Reap takes the status of a child once, and does not wait for one that runs.
func TestReap(t *testing.T) {
	_, _, _, err := Reap(-1)
	require.ErrorIs(t, err, syscall.ECHILD, "every test reaps what it starts")
	from, to, err := os.Pipe()
	require.NoError(t, err)
	pid, err := Start("/bin/sh", []string{"sh", "-c", "read x; exit 7"}, nil, "/",
		[]*os.File{from, os.Stderr, os.Stderr}, nil)
	require.NoError(t, err)
	require.NoError(t, from.Close())
	for _, which := range []int{pid, -1} {
		got, _, _, err := Reap(which)
		require.NoError(t, err)
		require.Zero(t, got)
	}
	for _, which := range []int{pid, -1} {
		got, err := Ended(which)
		require.NoError(t, err)
		require.Zero(t, got)
	}
	require.NoError(t, to.Close()) // which ends its read
	require.NoError(t, AwaitEnd(pid))
	for _, which := range []int{pid, -1, pid} {
		got, err := Ended(which)
		require.NoError(t, err)
		require.Equal(t, pid, got)
	}
	status, err := WaitPid(pid)
	require.NoError(t, err)
	require.Equal(t, 7, status.ExitStatus())
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
	_, err = f.WriteString("#!/bin/sh\nexit 7\n")
	require.NoError(t, err)
	require.NoError(t, SealProgram(f))
	_, err = f.WriteAt([]byte("#!"), 0)
	require.ErrorIs(t, err, syscall.EPERM, "no byte of it changes")
	require.ErrorIs(t, f.Truncate(1000), syscall.EPERM, "it does not grow")
	require.ErrorIs(t, f.Truncate(1), syscall.EPERM, "it does not shrink")
	path := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd())
	pid, err := Start(path, []string{path}, nil, "/", []*os.File{os.Stdin, os.Stderr, os.Stderr}, nil)
	require.NoError(t, err)
	var status syscall.WaitStatus
	_, err = syscall.Wait4(pid, &status, 0, nil)
	require.NoError(t, err)
	require.Equal(t, 7, status.ExitStatus())
}
