package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/memory"
	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// Page tables grow where processes map one another's memory, by what the model says,
// and not in one address space.
func TestBenchFootprint(t *testing.T) {
	onlyInOneSpace(t)
	const n = 8
	got := command(t, nil, "bench", "footprint", "-n", "2,8", "--sizes", "2K", "--single-copy", "none",
		"--reps", "20", "--json")
	require.Equal(t, 0, got.code, got.stderr)
	var results []memory.FootprintResult
	for _, line := range lines(got.stdout) {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		var r memory.FootprintResult
		require.NoError(t, d.Decode(&r))
		require.Equal(t, []any{"footprint", 2048}, []any{r.Benchmark, r.Bytes})
		require.Positive(t, r.Avg)
		require.Positive(t, *r.IdlePSSKiB)
		require.Equal(t, 20, r.Repetitions)
		results = append(results, r)
	}
	require.Len(t, results, 4)
	one, many := results[2], results[3]
	require.Equal(t, []any{"pvas", "sm", n, n, "direct", "none"},
		[]any{one.BTL, many.BTL, one.Ranks, many.Ranks, one.SingleCopy, many.SingleCopy})
	require.Zero(t, *one.ModelKiB)
	require.LessOrEqual(t, one.PageTableGrowthKiB, int64(n*2), "half a table page per rank")
	require.Positive(t, *many.ModelKiB)
	require.InDelta(t, *many.ModelKiB, many.PageTableGrowthKiB, float64(n*8), "two table pages per process")

	got = command(t, nil, "bench", "footprint", "-n", "2,3", "--reps", "1000000", "--max-seconds",
		"10ms", "--sizes", "1,20K")
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, 2, strings.Count(got.stdout, "# footprint"), got.stdout)
	require.Regexp(t, `exponent of N +pvas`, got.stdout)
	require.Contains(t, got.stdout, "Fewer repetitions than 1000000")
	for _, bad := range [][]string{{"--sizes", "0"}, {"--reps", "0"}, {"--max-seconds", "soon"}, {"-n", "x"}} {
		require.Equal(t, 2, command(t, nil, append([]string{"bench", "footprint"}, bad...)...).code, bad)
	}
}

// The same with an installed MPI beside ours.
func TestBenchFootprintPeer(t *testing.T) {
	if _, err := exec.LookPath("mpicc.openmpi"); err != nil {
		t.Skip("Open MPI is not installed")
	}
	got := command(t, nil, "bench", "footprint", "-n", "2", "--btl", "sm", "--reps", "5", "--sizes", "2K",
		"--compare", "openmpi")
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `(?m)^ +2 +openmpi +5 +[\d.]+ +(\d+|-) +\d+ +- +(\d+|-) +-?\d+ +-$`, got.stdout)
	require.Contains(t, got.stdout, "ratio, 2 ranks")
}

// A signal that asks for an end ends a benchmark in the middle of a job, ours or a
// peer's, with its code, and nothing is left behind.
func TestBenchInterrupted(t *testing.T) {
	for i, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) { interruptBench(t, i, sig) })
	}
}

// So does a rank that is killed: the code is its.
func TestBenchOfAKilledRank(t *testing.T) {
	cmd, results, stderr := startBench(t, t.TempDir(), "--btl", "sm") // whose ranks /proc tells apart
	for results.Scan() {
		// a further result: nobody was there to kill, or a rank that was at its end already
		for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if rank := rankOf(cmd.Process.Pid); rank != 0 && syscall.Kill(rank, syscall.SIGKILL) == nil {
				break
			}
		}
	}
	_ = cmd.Wait()
	require.Equal(t, 137, cmd.ProcessState.ExitCode(), stderr)
	require.Contains(t, stderr.String(), "was killed by signal 9")
}

// Ctrl-Z pauses the ranks of a benchmark with pvasrun, and they go on with it.
func TestBenchPauses(t *testing.T) {
	cmd := exec.Command(pvasrun, "bench", "barrier", "-n", "2", "--btl", "sm", "--reps", "1000000000",
		"--max-seconds", "100")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // of which this process is the parent: it can be stopped
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	await := func(what string, holds func() bool) {
		t.Helper()
		require.Eventually(t, holds, 20*time.Second, time.Millisecond, what)
	}
	stopped := func(pid int) bool {
		p, _ := processes.Find(pid)
		return p.State == 'T'
	}
	rank := 0
	await("a rank", func() bool { rank = rankOf(cmd.Process.Pid); return rank != 0 })
	require.NoError(t, cmd.Process.Signal(syscall.SIGTSTP))
	await("pause", func() bool { return stopped(cmd.Process.Pid) && stopped(rank) })
	require.NoError(t, cmd.Process.Signal(syscall.SIGCONT))
	await("going on", func() bool { return !stopped(cmd.Process.Pid) && !stopped(rank) })
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait()
	require.Equal(t, 143, cmd.ProcessState.ExitCode())
}

// rankOf returns a rank of the benchmark that a pvasrun runs, 0 where it has none.
func rankOf(pvasrun int) int {
	for _, p := range processes.Children(pvasrun) {
		if slices.Contains(processes.Args(p.PID), rankside.RankCommand) && p.Name != "pvasrun-host" {
			return p.PID
		}
	}
	return 0
}

// startBench starts a benchmark that goes on for long, with its results.
func startBench(t *testing.T, scratch string, who ...string) (*exec.Cmd, *bufio.Scanner, *bytes.Buffer) {
	t.Helper()
	endless := strings.Repeat("2K,", 10_000) + "2K"
	cmd := exec.Command(pvasrun,
		append([]string{"bench", "footprint", "-n", "2", "--reps", "5", "--sizes", endless, "--json"}, who...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+scratch)
	stderr := new(bytes.Buffer)
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewScanner(stdout), stderr
}

func interruptBench(t *testing.T, i int, sig syscall.Signal) {
	who := []string{"--btl", strings.Join(turn(t, i), ",")}
	if _, err := exec.LookPath("mpicc.openmpi"); err == nil && (i == 0 || testkit.Long()) {
		who = append(who, "--compare", "openmpi")
	}
	scratch := t.TempDir()
	cmd, results, stderr := startBench(t, scratch, who...)
	for range 1 + testkit.Rand(t).IntN(6) {
		require.True(t, results.Scan(), stderr)
	}
	require.NoError(t, cmd.Process.Signal(sig))
	for results.Scan() {
	}
	_ = cmd.Wait()
	require.Equal(t, 128+int(sig), cmd.ProcessState.ExitCode(), stderr)
	require.Contains(t, stderr.String(), "interrupt")
	left, err := os.ReadDir(scratch)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Private memory is mapped, touched and unmapped, by one rank and by several.
func TestBenchMapping(t *testing.T) {
	got := command(t, nil, "bench", "mapping", "-n", "1,3", "--size", "64K", "--reps", "2", "--rounds", "1", "--btl",
		strings.Join(turn(t, 1), ","), "--json")
	require.Equal(t, 0, got.code, got.stderr)
	var found []string
	for _, line := range lines(got.stdout) {
		var r memory.MappingResult
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		require.Positive(t, min(r.Map, r.Touch, r.Unmap), line)
		require.Equal(t, 64<<10, r.Bytes)
		found = append(found, fmt.Sprint(r.Ranks, r.BTL))
	}
	var want []string
	for _, ranks := range []int{1, 3} {
		for _, btl := range turn(t, 1) {
			want = append(want, fmt.Sprint(ranks, btl))
		}
	}
	require.Equal(t, want, found)
	got = command(t, nil, "bench", "mapping", "--size", "0")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "at least 1")
}
