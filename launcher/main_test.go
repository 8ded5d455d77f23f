package launcher

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
	"github.com/gopvas/gopvas/launcher/internal/roster"
)

func TestMain(m *testing.M) {
	if fault := os.Getenv(faultEnv); fault != "" && os.Args[0] == host.Name {
		os.Exit(faultyHost(fault))
	}
	HostMain()
	if text := os.Getenv(launchertest.JobEnv); text != "" {
		os.Exit(superviseMain(text))
	}
	os.Exit(launchertest.Main(m))
}

// startPvasrun starts a job under a supervisor of its own. change may change the command before.
func startPvasrun(t *testing.T, j Job, change func(*exec.Cmd)) *launchertest.Pvasrun {
	t.Helper()
	return launchertest.Start(t, sentJob{BTL: j.BTL, Apps: j.Apps, Logs: j.Log != nil}, change)
}

// A sentJob is what a job for another process may say.
type sentJob struct {
	BTL  string
	Apps []App
	Logs bool // to stderr
}

// superviseMain is a pvasrun in miniature.
func superviseMain(text string) int {
	var sent sentJob
	if err := json.Unmarshal([]byte(text), &sent); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	os.Unsetenv(launchertest.JobEnv)
	j := Job{BTL: sent.BTL, Apps: sent.Apps}
	if sent.Logs {
		j.Log = func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	}
	signals, stop := ForwardedSignals()
	defer stop()
	j.Stdin, j.Stdout, j.Stderr, j.Signals = os.Stdin, os.Stdout, os.Stderr, signals
	result, err := Run(context.Background(), j)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pvasrun:", err)
		return ExitCode(err)
	}
	return result.Code
}

// ranks is a job of n ranks of the test program.
func ranks(btl string, n int, args ...string) Job {
	return Job{BTL: btl, Apps: []App{{Program: launchertest.RanksProgram, Args: args, N: n}}}
}

// outcome is what a job left.
type outcome struct {
	*Result
	err            error
	stdout, stderr string
}

// run runs a job in this process, with a deadline that a correct job never
// meets, and checks that it left no process.
func run(t *testing.T, j Job) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	if j.Stdout == nil {
		j.Stdout = &stdout
	}
	if j.Stderr == nil {
		j.Stderr = &stderr
	}
	result, err := Run(ctx, j)
	require.NoError(t, ctx.Err(), "the job hung; stderr: %s", &stderr)
	launchertest.RequireGone(t, launchertest.PidsIn(stdout.String()))
	require.Empty(t, host.Children(os.Getpid()), "processes left behind")
	return outcome{result, err, stdout.String(), stderr.String()}
}

// rosterOf is a table of so many ranks, of which the first have processes.
func rosterOf(size int, pids ...int) *roster.Table {
	table := roster.New(nil, size, size, 0)
	for rank, pid := range pids {
		table.Started(rank, pid, time.Now())
	}
	return table
}
