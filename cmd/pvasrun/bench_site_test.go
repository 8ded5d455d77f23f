package main

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/timed"
)

// Benchmarks of messages and of collective operations run on nodes that are made, with ranks for each.
func TestBenchOnMadeNodes(t *testing.T) {
	needNamespaces(t)
	for _, line := range []string{"incast --nodes 3 --rate 1G", "gather --nodes 2 -n 4 --devices 2",
		"pingpong --nodes 2 --bind core", "transpose --nodes 2"} {
		args := append([]string{"bench"}, strings.Fields(line+" --sizes 256,64K --reps 20 --btl pvas --json")...)
		got := command(t, nil, args...)
		require.Equal(t, 0, got.code, got.stderr)
		var sizes []int
		for text := range strings.Lines(got.stdout) {
			var r timed.Result
			require.NoError(t, json.Unmarshal([]byte(text), &r), text)
			if r.BTL == "loop" {
				require.Zero(t, r.Nodes, "no message goes between nodes")
				continue
			}
			require.Equal(t, []any{args[1], strings.Contains(line, "nodes 3"), "suci"},
				[]any{r.Benchmark, r.Nodes == 3, r.SingleCopy})
			require.Positive(t, r.Avg)
			sizes = append(sizes, r.Bytes)
		}
		require.Equal(t, []int{256, 64 << 10}, sizes, line)
	}
}

// Computing beside a broadcast, and a chain, are measured over nodes, too.
func TestOverlapOnMadeNodes(t *testing.T) {
	needNamespaces(t)
	got := command(t, nil, "bench", "overlap", "--nodes", "2", "--sizes", "1K", "--tests", "each", "--grain", "4",
		"--rounds", "1", "--blocks", "1", "--loop", "1ms", "--work", "100us", "--btl", "pvas")
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "# Ibcast of 1KiB, 2 ranks, 4 x 4 matrices\n")
	require.Regexp(t, `(?m)^ +pvas owner\+0( +[0-9.]+){4}$`, got.stdout, "the chain")
	require.Regexp(t, `(?m)^ +pvas owner\+N( +[0-9.]+){4}$`, got.stdout)
	require.Regexp(t, `(?m)^ +pvas share\+0( +[0-9.]+){4}$`, got.stdout, "threads that watch the network progress it")
	require.NotContains(t, got.stdout, "# graphs")
}

// Open MPI runs on the same nodes, over TCP.
func TestBenchOnMadeNodesBesidePeers(t *testing.T) {
	needNamespaces(t)
	for _, tool := range []string{"mpicc.openmpi", "mpirun.openmpi"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed (Debian: openmpi-bin libopenmpi-dev)", tool)
		}
	}
	got := command(t, nil, "bench", "incast", "--nodes", "2", "--sizes", "1K", "--reps", "20", "--btl", "pvas",
		"--compare", "openmpi", "--rounds", "1")
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "# incast, 2 ranks on 2 nodes, us")
	require.Regexp(t, `(?m)^ +1024( +[0-9.]+){4}$`, got.stdout)
}

// Benchmarks run on nodes that are named; mistakes are said.
func TestBenchOnHosts(t *testing.T) {
	got := command(t, nil, "bench", "barrier", "--hosts", "a:1,b:2", "--rsh", hereAs(t), "--reps",
		"20", "--btl", "pvas,sm")
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "# barrier, 3 ranks on 2 nodes, us")
	for args, says := range map[string]string{
		"pingpong --hosts a --rsh x":        "name two nodes or more",
		"pingpong --hosts a:1,b:1 -n 3":     "they take 2 ranks, and the job has 3",
		"pingpong --nodes 1":                "--nodes: 1 is below 2",
		"barrier --nodes 3 -n 2":            "each needs a rank, and there are 2",
		"pingpong --nodes 2 --devices eth0": "without --hosts give a number from 1 to 8",
		"pingpong --nodes 2 --rate 5":       "at least 8k",
		"pingpong --rate 1G":                "give --nodes or --hosts",
		"pingpong --rsh ssh":                "name nodes by --hosts",
		"copy --nodes 2":                    "it is within a node",
		"pingpong --nodes 2 -n 3":           "ranks 0 and 1 are on one node",
		"bw --nodes 2 -n 3":                 "ranks 0 and 1 are on one node",
		"column --hosts a:2,b:2":            "ranks 0 and 1 are on one node",
		"ring --nodes 2 --compare mpich":    "name nodes by --hosts",
		"ring --hosts a,b --rate 1G":        "leave them out with --hosts",
		"ring --hosts a,b --nodes 2":        "leave them out with --hosts",
	} {
		got := command(t, nil, append([]string{"bench"}, strings.Fields(args)...)...)
		require.Equal(t, 2, got.code, args)
		require.Contains(t, got.stderr, says, args)
	}
}
