package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Counts beyond what makes sense are refused with the limit and why, before anything is started.
func TestCountsAreBounded(t *testing.T) {
	for args, says := range map[string]string{
		"bench allreduce --goroutines 1025":         "--goroutines: 1025 is more than 1024: each makes communicators",
		"bench allreduce --goroutines 99999999999":  "is more than 1024",
		"bench pingpong -n 65537":                   "-n, --np: 65537 is more than 65536: a job has no more ranks",
		"bench pingpong --reps -1":                  "--reps: -1 is below 1",
		"bench pingpong --reps 0":                   "--reps: 0 is below 1",
		"bench pingpong --reps 9223372036854775807": "is more than 1000000000",
		"bench bcast --rounds 1001":                 "--rounds: 1001 is more than 1000",
		"bench exchange --rounds 1001":              "--rounds: 1001 is more than 1000",
		"bench npb is --rounds 1001":                "--rounds: 1001 is more than 1000",
		"bench npb is -n 2,131072":                  "131072 is more than 65536",
		"bench overlap --grain 4,3000000":           "--grain: 3000000 is more than 1024",
		"bench overlap --tests 10,1000001":          "--tests: 1000001 is more than",
		"bench overlap --helpers 65537":             "--helpers: 65537 is more than",
		"bench overlap --helpers 1,9":               "--helpers 9: there are at most 8 ranks",
		"bench overlap --blocks 100001":             "--blocks: 100001 is more than",
		"bench touch -n 4,65537":                    "65537 is more than 65536",
		"bench touch --size 0":                      "--size: 0 is below 1",
		"bench barrier --nodes 0":                   "--nodes: 0 is below 2",
		"bench npb is --nodes 0":                    "--nodes: 0 is below 2",
		"bench overlap --nodes 65":                  "--nodes: 65 is more than 64: each is a network namespace",
		"bench overlap --work 0":                    "--work: 0 leaves nothing to overlap",
		"model fit --nodes 0":                       "--nodes: 0 is below 2",
		"bench footprint --reps 1000000001":         "is more than 1000000000",
		"model fit --times 1001":                    "--times: 1001 is more than 1000",
		"model fit --repeat 1000001":                "--repeat: 1000001 is more than 1000000",
		"model exchange --sizes 8000000T":           "is more than 1099511627776",
		"bench pingpong --spin -1":                  "--spin: -1 is below 0",
		"--spin -1 true":                            "--spin: -1 is below 0",
		"info --spin -1":                            "--spin: -1 is below 0",
		"--spin 1073741825 true":                    "--spin: 1073741825 is more than 1073741824",
		"bench pingpong --spin 4294967296":          "--spin: 4294967296 is more than 1073741824",
	} {
		got := command(t, nil, strings.Fields(args)...)
		require.Equal(t, 2, got.code, "%s: %s", args, got.stderr)
		require.Contains(t, got.stderr, says, args)
		require.Len(t, lines(got.stderr), 2, args)
	}
	got := command(t, env("PVASRUN_SPIN=-3"), "true")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "--spin from PVASRUN_SPIN: -3 is below 0")
}

// Messages that need more memory than there is are refused with both numbers.
func TestMemoryIsThere(t *testing.T) {
	for _, args := range []string{
		"pingpong --sizes 8,40T", "pingpong --sizes 8000000T", "alltoall --sizes 40T", "footprint --sizes 40T",
		"touch --size 40T", "overlap --sizes 40T,1K",
		"allreduce -n 4096 --goroutines 1024 --sizes 1G",
	} {
		got := command(t, nil, append([]string{"bench"}, strings.Fields(args)...)...)
		require.Equal(t, 2, got.code, args)
		require.Regexp(t,
			`^pvasrun: --sizes?: the buffers of the largest job need [\d.]+\w+, and [\d.]+\w+ of memory `+
				`are available: choose`, got.stderr, args)
	}
}

// A rank that the trace does not have is a mistake.
func TestTraceListOfNoRank(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	got := command(t, nil, "--trace", file, "-n", "2", programs.Build(t, "../../examples/hello"))
	require.Equal(t, 0, got.code, got.stderr)
	for rank, says := range map[string]string{"2": "--rank 2: the trace has ranks 0 to 1",
		"-5": "--rank: -5 is below 0"} {
		got = command(t, nil, "trace", "list", file, "--rank", rank)
		require.Equal(t, 2, got.code)
		require.Contains(t, got.stderr, says)
	}
}
