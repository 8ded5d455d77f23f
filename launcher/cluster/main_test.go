package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
)

func TestMain(m *testing.M) {
	launcher.HostMain()
	if len(os.Args) == 2 && os.Args[1] == "node" {
		os.Exit(NodeMain(testInstruments))
	}
	if text := os.Getenv(launchertest.JobEnv); text != "" {
		os.Exit(superviseMain(text))
	}
	os.Exit(launchertest.Main(m))
}

// A sentNodes is what a job on several nodes for another process may say.
type sentNodes struct {
	BTL   string
	Apps  []launcher.App
	Nodes *Nodes
}

// superviseMain is a pvasrun in miniature.
func superviseMain(text string) int {
	var sent sentNodes
	if err := json.Unmarshal([]byte(text), &sent); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	os.Unsetenv(launchertest.JobEnv)
	signals, stop := launcher.ForwardedSignals()
	defer stop()
	j := launcher.Job{BTL: sent.BTL, Apps: sent.Apps, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Signals: signals}
	result, err := Run(context.Background(), j, *sent.Nodes)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pvasrun:", err)
		return launcher.ExitCode(err)
	}
	return result.Code
}

// ranks is a job of n ranks of the test program.
func ranks(btl string, n int, args ...string) launcher.Job {
	return launcher.Job{BTL: btl, Apps: []launcher.App{{Program: launchertest.RanksProgram, Args: args, N: n}}}
}

// outcome is what a job left.
type outcome struct {
	*launcher.Result
	err            error
	stdout, stderr string
}

// runNodes runs a job with a deadline that a correct job never meets, and checks that it left no process.
func runNodes(t *testing.T, j launcher.Job, n Nodes) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	if j.Stdout == nil {
		j.Stdout = &stdout
	}
	j.Stderr = &stderr
	result, err := Run(ctx, j, n)
	require.NoError(t, ctx.Err(), "the job hung; stderr: %s", &stderr)
	launchertest.RequireGone(t, launchertest.PidsIn(stdout.String()))
	require.Empty(t, processes.Children(os.Getpid()), "processes left behind")
	return outcome{result, err, stdout.String(), stderr.String()}
}

// runTimedOut runs a job until its time-out comes late enough for a report like want.
func runTimedOut(t *testing.T, j *launcher.Job, run func() outcome, want string) (out outcome) {
	t.Helper()
	launchertest.UntilReport(t, &j.Timeout, want, func() (int, string) {
		out = run()
		require.NoError(t, out.err)
		return out.Code, out.stderr
	})
	return out
}
