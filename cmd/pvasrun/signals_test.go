package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/launcher"
)

// What fails because a signal has asked for an end, fails with the signal; other errors stay.
func TestErrorAfterSignal(t *testing.T) {
	failed := errors.New("ethtool: signal: killed")
	require.ErrorIs(t, cli.UntilSignal(func(context.Context) error { return failed }), failed)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		err := cli.UntilSignal(func(ctx context.Context) error {
			require.NoError(t, syscall.Kill(os.Getpid(), sig))
			<-ctx.Done()
			return failed
		})
		require.Equal(t, launcher.Interrupted{Signal: sig}, err)
		require.NoError(t, cli.UntilSignal(func(ctx context.Context) error {
			require.NoError(t, syscall.Kill(os.Getpid(), sig))
			<-ctx.Done()
			return nil
		}))
	}
}

// An interrupt while network namespaces are made, or processes run in them, is told as one.
func TestBenchInterruptedInSetUp(t *testing.T) {
	needNamespaces(t)
	for _, name := range []string{"exchange", "suci"} {
		scratch := t.TempDir()
		cmd := exec.Command(pvasrun, "bench", name)
		cmd.Env = append(os.Environ(), "TMPDIR="+scratch)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { return len(processes.Children(cmd.Process.Pid)) > 0 },
			time.Minute, time.Millisecond)
		require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
		_ = cmd.Wait()
		require.Equal(t, 130, cmd.ProcessState.ExitCode(), stderr.String())
		require.Contains(t, stderr.String(), "interrupted by SIGINT")
		left, err := os.ReadDir(scratch)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

// QUIT has the job of a benchmark say what its ranks do, and ends nothing. The job has no file that a KILL
// would leave.
func TestBenchAnswersQuit(t *testing.T) {
	for _, args := range [][]string{
		{"bench", "exchange", "--devices", "1", "--sizes", "1K", "--exchange", "plain", "--every", "1h"},
		{"bench", "pingpong", "--sizes", "8", "--reps", "1000000000", "--max-seconds", "3600"},
		{"tune", "--only", "eager_limit", "-o", "-", "--max-seconds", "3600"},
		{"model", "fit", "--times", "1000", "--max-seconds", "3600"},
	} {
		t.Run(strings.Join(args[:2], "_"), func(t *testing.T) {
			if args[1] == "exchange" {
				needNamespaces(t)
			}
			scratch := t.TempDir()
			cmd := exec.Command(pvasrun, args...)
			cmd.Env = append(os.Environ(), "TMPDIR="+scratch)
			var stderr testkit.Output
			cmd.Stdout, cmd.Stderr = io.Discard, &stderr
			require.NoError(t, cmd.Start())
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			require.Eventually(t, func() bool { return len(processes.Children(cmd.Process.Pid)) > 0 },
				time.Minute, time.Millisecond)
			require.Eventually(t, func() bool {
				_ = cmd.Process.Signal(syscall.SIGQUIT)
				return strings.Contains(stderr.String(), "pvasrun: what the ranks do:\n")
			}, time.Minute, 20*time.Millisecond)
			left, err := os.ReadDir(scratch)
			require.NoError(t, err)
			require.Empty(t, left)
			require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
			_ = cmd.Wait()
			require.Equal(t, 143, cmd.ProcessState.ExitCode(), stderr.String())
		})
	}
}

// QUIT before the job has begun asks for the report, too, and ends nothing.
func TestQuitBeforeTheJob(t *testing.T) {
	hosts := filepath.Join(t.TempDir(), "hosts")
	require.NoError(t, syscall.Mkfifo(hosts, 0o600))
	cmd := exec.Command(pvasrun, "--hostfile", hosts, "-n", "2", "true")
	var stderr testkit.Output
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	w, err := os.OpenFile(hosts, os.O_WRONLY, 0) // waits until pvasrun reads it
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(syscall.SIGQUIT))
	status := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)
	require.Eventually(t, func() bool { // it is not pending any more
		text, err := os.ReadFile(status)
		return err != nil || strings.Contains(string(text), "ShdPnd:\t0000000000000000")
	}, time.Minute, time.Millisecond)
	_, err = w.WriteString("localhost\n")
	require.NoError(t, errors.Join(err, w.Close()))
	require.NoError(t, cmd.Wait(), stderr.String())
	require.Regexp(t, "pvasrun: (no rank has been started yet|"+launcher.HangReport+")", stderr.String())
}

// The go command that a signal ends before it builds leaves its work directory; pvasrun does not.
func TestInterruptedBuildLeavesNothing(t *testing.T) {
	tools, scratch := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\nmkdir -p \"${GOTMPDIR:-$TMPDIR}/go-build1\"\necho made >&2\nexec sleep 100\n"
	require.NoError(t, os.WriteFile(tools+"/go", []byte(script), 0o700))
	cmd := exec.Command(pvasrun, "../../examples/hello")
	cmd.Env = append(os.Environ(), "TMPDIR="+scratch, "GOTMPDIR=", "PATH="+tools+":"+os.Getenv("PATH"))
	var stderr testkit.Output
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	require.Eventually(t, func() bool { return strings.Contains(stderr.String(), "made\n") },
		time.Minute, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait()
	require.Equal(t, 130, cmd.ProcessState.ExitCode(), stderr.String())
	left, err := os.ReadDir(scratch)
	require.NoError(t, err)
	require.Empty(t, left)
}
