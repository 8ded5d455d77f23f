package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/internal/lab/bench/timed"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// The report of a job that hangs says who waits for whom, and proves a deadlock.
func TestHangReport(t *testing.T) {
	hangReport(t, 0, nil, "ring",
		`(?m)^  0 +\d+ +in recv \(main\.main\.func1 at main\.go:\d+\) for [\d.ms]+, waits for rank 1, tag 7, 32 bytes$`,
		`deadlock: rank 0 waits for rank 1 waits for rank 2 waits for rank 0; nothing has moved for [\d.ms]+, and `+
			`ranks 0, 1, 2 can never go on`)
}

// A deadlock through a collective operation is proved, and the report names the call.
func TestHangReportOfCollectives(t *testing.T) {
	hangReport(t, 1, nil, "allreduce",
		`(?m)^  1 +\d+ +in allreduce \(main\.main\.func1 at main\.go:\d+\) on communicator "world" for `+
			`[\d.ms]+, waits for rank 0$`,
		`(?m)^  2 +\d+ +in allreduce \(main\.main\.func1 at main\.go:\d+\) on communicator "world" for [\d.ms]+, `+
			`waits for rank [01]$`,
		`deadlock: rank 0 waits for rank 1 waits for rank 0; nothing has moved for [\d.ms]+, and ranks 0, `+
			`1, 2 can never go on`)
}

// So is one through the making of a communicator.
func TestHangReportOfDup(t *testing.T) {
	hangReport(t, 0, nil, "dup",
		`(?m)^  1 +\d+ +in dup \(main\.main\.func1 at main\.go:\d+\) on communicator "world" for `+
			`[\d.ms]+, waits for rank 0$`,
		`(?m)^  2 +\d+ +in dup \(main\.main\.func1 at main\.go:\d+\) on communicator "world" for `+
			`[\d.ms]+, waits for rank 0$`,
		`deadlock: rank 0 waits for rank 1 waits for rank 0; nothing has moved for [\d.ms]+, and ranks 0, `+
			`1, 2 can never go on`)
}

// What ranks wait for in a call on a file is no collective operation of the program.
func TestHangReportOfFiles(t *testing.T) {
	hangReport(t, 1, nil, "file",
		`(?m)^  1 +\d+ +in MPI_File_sync \(main\.main\.func1 at main\.go:\d+\) on communicator "/dev/null" for `+
			`[\d.ms]+, waits for rank 0$`, `deadlock: rank 0 waits for rank 1 waits for rank 0; `)
}

// Of a rank whose goroutines wait at a time one wait is seen: what the others do is not known, so
// no deadlock is proved.
func TestHangReportOfGoroutines(t *testing.T) {
	hangReport(t, 1, nil, "goroutines",
		`circle: (rank \d waits for )+rank \d; nothing has moved for [\d.ms]+, and only other goroutines or threads `+
			`of ranks 0, 1, 2 could end that`)
}

// Ranks whose helpers make progress for all operations say what their goroutines wait for.
func TestHangReportWithHelpers(t *testing.T) {
	for i, how := range []string{"ring", "allreduce", "goroutines"} {
		call := map[string]string{"ring": "recv .*", "goroutines": "recv .*",
			"allreduce": `allreduce .*on communicator "world" `}[how]
		hangReport(t, i, []string{"--helpers", "3"}, how, `(?m)^  1 +\d+ +in `+call+`for [\d.ms]+, waits for rank`,
			`(?m)^  2 +\d+ +in `+call+`for [\d.ms]+, waits for rank`)
	}
}

// Ranks that poll say for what, and are in no deadlock.
func TestHangReportOfPolls(t *testing.T) {
	stuck := programs.Build(t, "./testdata/stuck")
	for _, btl := range turn(t, 1) {
		report := testkit.HangReport(t, exec.Command(pvasrun, "--btl", btl, "-n", "3", stuck, "polls"), 3,
			`(?m)^  0 +\d+ +polls by test \(main\.polls at main\.go:\d+\) for a recv: rank 1, tag 5, 100 `+
				`bytes; 6 more open: `+
				`a recv: rank 2, tag \d, 10 bytes; (.*; ){3}2 more$`,
			`(?m)^  1 +\d+ +polls by iprobe \(main\.polls at main\.go:\d+\) for a probe: rank 0, tag 8$`,
			`(?m)^  2 +\d+ +in recv \(main\.main\.func1 at main\.go:\d+\) for`)
		require.NotContains(t, report, "deadlock")
	}
}

// hangReport runs a job with these flags that hangs, in the task model whose turn it is; a report has all lines.
func hangReport(t *testing.T, i int, flags []string, how string, lines ...string) {
	t.Helper()
	stuck := programs.Build(t, "./testdata/stuck")
	for _, btl := range turn(t, i) {
		t.Run(btl+"/"+how, func(t *testing.T) {
			args := slices.Concat(flags, []string{"--btl", btl, "-n", "3", stuck, how})
			testkit.HangReport(t, exec.Command(pvasrun, args...), 3, lines...)
		})
	}
}

// The report at SIGQUIT leaves the job alone. A rank that computes for ever is no deadlock.
func TestHangReportAtSIGQUIT(t *testing.T) {
	stuck := programs.Build(t, "./testdata/stuck")
	for _, btl := range turn(t, 0) {
		report := testkit.HangReport(t, exec.Command(pvasrun, "--btl", btl, "-n", "3", stuck, "late"), 3,
			"waits for rank 0")
		require.NotContains(t, report, "deadlock")
	}
}

func TestBenchPointToPoint(t *testing.T) {
	for i, name := range timed.Patterns() {
		ranks := "4"
		if name == "copy" {
			ranks = "2"
		}
		for _, r := range timedResults(t, turn(t, i), name, "-n", ranks, "--sizes", "0,8,4K,100K") {
			require.Equal(t, 4096, r.EagerLimit)
			require.Equal(t, r.Bytes > 0, r.MBytesPerS > 0)
		}
	}
	got := command(t, nil, "bench", "pingpong", "-n", "1")
	require.Equal(t, 2, got.code)
	got = command(t, env("PATH=/nowhere"), "bench", "pingpong", "--sizes", "8", "--reps", "10", "--compare",
		"mpich", "--btl", "sm")
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stderr, "mpich: its compiler or launcher is not installed")
}

// TestBenchPeerFails: a peer whose jobs fail costs its own rows only.
func TestBenchPeerFails(t *testing.T) {
	dir := t.TempDir()
	fails := map[string]string{"mpicc.openmpi": "exit 0", "mpirun.openmpi": "echo no more >&2; exit 1"}
	for name, script := range fails {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	}
	for bench, rows := range map[string]string{
		"pingpong --sizes 8,16 --reps 10 --rounds 2": `(?m)^ +8 +10 .*\n +16 +10 .*\n\z`,
		"footprint -n 2,3 --sizes 1K --reps 10":      `(?m)^ +2 +\S+ +10 [^$]*^ +3 +\S+ +10 `,
	} {
		args := append([]string{"bench"}, strings.Fields(bench+" --btl sm --compare openmpi")...)
		got := command(t, env("PATH="+dir+":"+os.Getenv("PATH")), args...)
		require.Equal(t, 1, got.code, bench)
		require.Contains(t, got.stderr, "openmpi", bench)
		require.Contains(t, got.stderr, "exit code 1\nno more", bench)
		require.Regexp(t, rows, got.stdout, bench)
	}
}

func TestBenchCollectives(t *testing.T) {
	for i, name := range timed.Collectives() {
		for _, r := range timedResults(t, turn(t, i), name, "-n", "3", "--sizes", "0,8,4K,100K") {
			require.Equal(t, name == "neighbor" || name[0] == 'i', r.Algorithm == "",
				"of those that block, neighbour exchanges are messages")
		}
	}
}

// Goroutines of a rank that call on communicators of their own.
func TestBenchGoroutines(t *testing.T) {
	for i, name := range []string{"allreduce", "neighbor"} {
		for _, r := range timedResults(t, turn(t, i), name, "-n", "3", "--sizes", "0,8,4K,100K", "--goroutines",
			"5") {
			require.Equal(t, 5, r.Goroutines)
		}
	}
	got := command(t, nil, "bench", "barrier", "--reps", "2", "--goroutines", "3")
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "# barrier, 2 ranks of 3 goroutines, us\n")
	for _, wrong := range []string{"allreduce --goroutines 0", "ring --goroutines 2", "ring --late 1ms",
		"barrier --goroutines 2 --compare mpich"} {
		got := command(t, nil, append([]string{"bench"}, strings.Fields(wrong)...)...)
		require.Equal(t, 2, got.code, got.stderr)
	}
}

// One rank computes before each call.
func TestBenchLate(t *testing.T) {
	for _, r := range timedResults(t, turn(t, 0), "reduce", "-n", "3", "--sizes", "8,16,80,800", "--reps", "30",
		"--late", "1ms") {
		require.InDelta(t, 1000, r.Late, 0)
		require.Greater(t, r.Max*3, 1000.0, "a rank computes in each third call")
	}
	got := command(t, nil, "bench", "barrier", "--reps", "2", "--late", "10us")
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "# barrier, 2 ranks, one late by 10 us, us\n")
}

// The loop takes part once, and has no settings of messages.
func TestBenchLayouts(t *testing.T) {
	for i, name := range timed.Layouts() {
		loops := 0
		for _, r := range timedResults(t, turn(t, i), name, "-n", "3", "--sizes", "64,256,4K,36K") {
			if r.BTL == "loop" {
				loops++
			}
			require.Equal(t, r.BTL == "loop", r.EagerLimit == 0)
		}
		require.Equal(t, 4, loops)
	}
	for _, wrong := range [][]string{{"-n", "1"}, {"--sizes", "32"}, {"--sizes", "1G"}} {
		got := command(t, nil, append([]string{"bench", "column"}, wrong...)...)
		require.Equal(t, 2, got.code, got.stderr)
	}
	got := command(t, nil, "bench", "halo", "--reps", "2", "--sizes", "64")
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `loop \(no message\) +x loop +ratio\n`, got.stdout)
}

// timedResults runs a benchmark in these task models and returns its results.
func timedResults(t *testing.T, btls []string, name string, args ...string) (results []timed.Result) {
	got := command(t, nil,
		append([]string{"bench", name, "--reps", "20", "--btl", strings.Join(btls, ","), "--json"}, args...)...)
	require.Equal(t, 0, got.code, got.stderr)
	for _, line := range lines(got.stdout) {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		var r timed.Result
		require.NoError(t, d.Decode(&r))
		require.Equal(t, name, r.Benchmark)
		require.Positive(t, r.Avg)
		require.LessOrEqual(t, r.Min, r.Avg)
		require.GreaterOrEqual(t, r.Max, r.Avg)
		results = append(results, r)
	}
	sizes := 4
	if strings.HasSuffix(name, "barrier") {
		sizes = 1
	}
	contestants := len(btls)
	if slices.Contains(timed.Layouts(), name) {
		contestants++ // the loop
	}
	require.Len(t, results, sizes*contestants)
	return results
}

// What a job's collectives were done by is said at its end.
func TestStatsOfCollectives(t *testing.T) {
	for _, btl := range turn(t, 0) {
		want := map[string]string{"pvas": "direct", "sm": "tree"}[btl]
		job := []string{"--btl", btl, "-n", "3", "--coll", "allreduce=" + want, pvasrun, rankside.RankCommand, "coll",
			"allreduce", "8:10,80:10", "10"}
		for _, flag := range []string{"-v", "--stats"} {
			got := command(t, nil, append([]string{flag}, job...)...)
			require.Equal(t, 0, got.code, got.stderr)
			calls := regexp.MustCompile(`(?m)^  allreduce +` + want + ` +(\d+)$`).FindStringSubmatch(got.stderr)
			require.NotNil(t, calls, got.stderr)
			n, err := strconv.Atoi(calls[1])
			require.NoError(t, err)
			require.Greater(t, n, 3*2*10, "3 ranks, 2 sizes, 10 calls, and those to warm up")
			require.Zero(t, n%3, "all ranks make as many")
			require.Regexp(t, `(?m)^  gather +\S+ +6$`, got.stderr, "3 ranks, 2 sizes")
		}
		require.NotContains(t, command(t, nil, job...).stderr, "allreduce")
		job[5] = "allreduce=levels"
		require.Regexp(t, `^rank 0: warning: --coll allreduce=levels: 3 ranks cannot do a call of \d+ bytes so, and `+
			"do it by "+want+"\n$", command(t, nil, job...).stderr, "they are on one node")
	}
}
