package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/overlap"
)

// Every way to make progress, in both task models: that all come to an end, and what
// the lines say.
func TestBenchOverlap(t *testing.T) {
	got := command(t, nil, "bench", "overlap", "-n", "2,3", "--sizes", "1K,128K", "--grain", "4", "--tests",
		"0,10,each", "--helpers", "0,1",
		"--btl", strings.Join(models(t), ","), "--work", "50us", "--loop", "500us", "--blocks", "2", "--rounds", "1",
		"--part", "broadcast", "--json")
	require.Equal(t, 0, got.code, got.stderr)
	var found []string
	for _, line := range lines(got.stdout) {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		var r overlap.Result
		require.NoError(t, d.Decode(&r))
		require.Equal(t, []any{"overlap", 4}, []any{r.Benchmark, r.Grain})
		require.Positive(t, r.Elapsed, line)
		require.Positive(t, r.Pure, line)
		require.Positive(t, r.Compute, line)
		require.True(t, 0 <= r.NonCompute && r.NonCompute <= 1, line)
		require.True(t, 0 <= r.OSU && 0 <= r.IMB && r.IMB <= 100, line)
		require.Len(t, r.Executed, r.Ranks)
		for rank, e := range r.Executed {
			require.LessOrEqual(t, e.Foreign, e.Nodes, "rank %d: %s", rank, line)
		}
		if r.Ranks == 3 && r.Bytes == 1<<10 && r.Tests == 0 {
			found = append(found, r.Contestant+" "+r.Policy)
			require.GreaterOrEqual(t, r.Helpers, 0)
		}
	}
	want := []string{"pvas share", "pvas share", "pvas owner", "pvas owner", "sm owner", "sm owner"}
	require.Equal(t, want[len(want)-len(found):], found)
	require.Len(t, found, map[int]int{2: 6, 1: 2}[len(models(t))])
}

func TestBenchOverlapOutput(t *testing.T) {
	btl := models(t)[0]
	plot := filepath.Join(t.TempDir(), "plot.svg")
	got := command(t, nil, "bench", "overlap", "--sizes", "1K,64K", "--grain", "4", "--tests", "0,each", "--policy",
		"owner", "--helpers", "0",
		"--btl", btl, "--loop", "500us", "--blocks", "2", "--rounds", "1", "--plot", plot, "-v")
	require.Equal(t, 0, got.code, got.stderr)
	for _, word := range []string{"# Ibcast of 64KiB, 2 ranks, 4 x 4 matrices", "owner+", "each", "# nodes executed",
		"# 1MiB down a chain of 8 ranks", "# graphs of 1000 nodes"} {
		require.Contains(t, got.stdout, word)
	}
	drawn, err := os.ReadFile(plot)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(drawn), "<svg"))

	for _, c := range []struct{ args, stderr string }{
		{"--sizes 0", "--sizes: at least 1"},
		{"--rounds 0", "--rounds: at least one"},
		{"--blocks 0", "--blocks: at least one"},
		{"--loop 0", "--loop"},
		{"--tests often", "not a list of numbers of tests"},
		{"--grain 0", "not a list of matrix sizes"},
		{"--helpers -1", "helpers"},
		{"--policy eager", "not a list of share, owner"},
		{"--plot p.svg --sizes 1K", "at least two --sizes"},
		{"--plot p.svg --part chain", "draws broadcasts"},
		{"--part chain -n 1", "-n: it is of broadcasts; the chain has 8 ranks"},
		{"--part all", "write broadcast, chain or graph"},
	} {
		got := command(t, nil, append([]string{"bench", "overlap"}, strings.Fields(c.args)...)...)
		require.Equal(t, 2, got.code, c.args)
		require.Contains(t, got.stderr, c.stderr, c.args)
	}
}

// The same loops in C.
func TestBenchOverlapPeer(t *testing.T) {
	if _, err := exec.LookPath("mpicc.openmpi"); err != nil {
		t.Skip("Open MPI is not installed")
	}
	got := command(t, nil, "bench", "overlap", "--sizes", "1K", "--grain", "4", "--tests",
		"0,10,each", "--policy", "owner",
		"--btl", "sm", "--work", "50us", "--loop", "500us", "--blocks", "2", "--rounds", "1", "--part", "broadcast",
		"--compare", "openmpi")
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `(?m)^ +openmpi +each +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +\d+ +\d+$`, got.stdout)
	require.Contains(t, got.stdout, "not computing/openmpi")
}
