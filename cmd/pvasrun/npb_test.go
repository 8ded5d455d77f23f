package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/nas"
	"github.com/gopvas/gopvas/internal/lab/bench/npb"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// Every kernel, with eager messages in one task model and with rendezvous in the other, or all of them in both.
func TestBenchNPB(t *testing.T) {
	for _, ranks := range testkit.Some("4", "2", "1") {
		for i, eager := range []string{"1M", "1"} {
			got := command(t, nil, "bench", "npb", strings.Join(npb.Kernels(), ","), "--class", "S", "-n", ranks,
				"--btl", strings.Join(turn(t, i), ","), "--eager-limit", eager, "--json")
			require.Equal(t, 0, got.code, got.stderr)
			var found []string
			for _, line := range lines(got.stdout) {
				d := json.NewDecoder(strings.NewReader(line))
				d.DisallowUnknownFields()
				var r nas.Result
				require.NoError(t, d.Decode(&r))
				require.True(t, r.Verified, line)
				require.Positive(t, r.Mops)
				found = append(found, strings.ToLower(r.Benchmark)+" "+r.BTL)
			}
			var want []string
			for _, name := range npb.Kernels() {
				for _, btl := range turn(t, i) {
					want = append(want, name+" "+btl)
				}
			}
			require.Equal(t, want, found)
		}
	}
}

func TestBenchNPBOutput(t *testing.T) {
	btls := models(t)
	got := command(t, nil, "bench", "npb", "is", "-n", "2", "--rounds", "2", "--btl", strings.Join(btls, ","))
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, len(btls), strings.Count(got.stdout, " IS Benchmark Completed."))
	require.Regexp(t, `(?m)^ Mop/s total     = +[\d.]+$`, got.stdout)
	require.Regexp(t, `(?m)^ Verification    = +SUCCESSFUL$`, got.stdout)
	got = command(t, nil, "bench", "npb", "is", "-n", "1,2", "--btl", btls[0])
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `(?m)^ +IS +S +1 +`+btls[0]+` .* 1\.00 +1\.00$`, got.stdout, "its own efficiency")
	require.Regexp(t, `(?m)^ +IS +S +2 +`+btls[0]+` .* 1\.00 +[\d.]+$`, got.stdout)

	for args, says := range map[string]string{
		"":                       "name a benchmark first: bt, cg, ep, ft, is, lu, mg, sp",
		"--class A":              "name a benchmark first",
		"ua":                     "there is no benchmark",
		"bt":                     "bt is one of NASA's programs: give the folder",
		"sp -n 2 --programs .":   "must be a square",
		"is --nodes 2 -n 1":      "each needs a rank",
		"is --hosts a:2,b":       "power of two",
		"is -n 3":                "power of two",
		"is --class D":           "not a list of classes",
		"is --rounds 0":          "at least one",
		"is --max-seconds 1":     "there is no flag --max-seconds",
		"is --btl udp":           "not a list of task models",
		"is --eager-limit 1GiB":  "--eager-limit: 1073741824 is more than 16777216",
		"is,ep --class S -n 256": "128 at most",
		"is --compare openmpi":   "--reference",
		"is --reference .":       "--reference: say with --compare",
		"is,mg --threads":        "goroutines do not run mg: choose cg, ep, is",
		"is --threads --nodes 2": "--threads: goroutines are on one node",
	} {
		got := command(t, nil, append([]string{"bench", "npb"}, strings.Fields(args)...)...)
		require.Equal(t, 2, got.code, "%q: %s", args, got.stderr)
		require.Contains(t, got.stderr, says, args)
	}
	require.Contains(t, command(t, nil, "bench", "npb", "--help").stdout, "multigrid")
}

// Goroutines of one process run in turn with as many ranks.
func TestBenchNPBThreads(t *testing.T) {
	btl := turn(t, 0)[0]
	got := command(t, nil, "bench", "npb", "is,cg", "-n", "1,2", "--btl", btl, "--threads", "--bind", "core")
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, 8, strings.Count(got.stdout, "= "+strings.Repeat(" ", 14)+"SUCCESSFUL\n"), got.stdout)
	require.Equal(t, 4, strings.Count(got.stdout, "\n Total threads   = "))
	for _, name := range []string{"IS", "CG"} {
		require.Regexp(t, `(?m)^ +`+name+` +S +1 +threads .* 1\.00$`, got.stdout, "their own efficiency")
		require.Regexp(t, `(?m)^ +`+name+` +S +2 +`+btl+` .* 1\.00 +[\d.]+$`, got.stdout)
		require.Regexp(t, `(?m)^ +`+name+` +S +2 +threads .* [\d.]+ +[\d.]+$`, got.stdout)
	}
}

// NASA's programs run in turn with ours. These stand for them and for an MPI.
func TestBenchNPBReference(t *testing.T) {
	dir := t.TempDir()
	for name, script := range map[string]string{
		"mpicc.openmpi":  "exit 1",
		"mpirun.openmpi": `for program; do :; done; exec "$program"`, // the last of the arguments
		"is.S.x": `cat <<.
 IS Benchmark Completed
 Class           =                        S
 Iterations      =                       10
 Time in seconds =                     0.50
 Total processes =                        2
 Mop/s total     =                     1.31
 Verification    =               SUCCESSFUL
.`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	}
	path := env("PATH=" + dir + ":" + os.Getenv("PATH"))
	args := []string{"bench", "npb", "is", "-n", "2", "--btl", "sm", "--compare", "openmpi", "--reference"}
	got := command(t, path, append(args, dir, "--json")...)
	require.Equal(t, 0, got.code, got.stderr)
	printed := lines(got.stdout)
	require.Len(t, printed, 2)
	var r nas.Result
	require.NoError(t, json.Unmarshal([]byte(printed[1]), &r))
	require.Equal(t, []any{"openmpi", "IS", 1.31, true}, []any{r.BTL, r.Benchmark, r.Mops, r.Verified})

	got = command(t, path, append(args, dir, "--hosts", "a,b", "--rsh", hereAs(t))...)
	require.Equal(t, 0, got.code, got.stderr)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 3, "it leaves nothing there")

	got = command(t, path, append(args, t.TempDir())...)
	require.NotZero(t, got.code)
	require.Contains(t, got.stderr, "is.S.x")
	require.Contains(t, got.stderr, "build NPB")
}

// Ours run NASA's programs as well: lu, sp and bt are there only. Each class has a result of its own.
func TestBenchNPBPrograms(t *testing.T) {
	dir := t.TempDir()
	for _, class := range []string{"S", "W"} {
		script := "#!/bin/sh\n[ $PVAS_RANK = 0 ] || exit 0\ncat <<.\n LU Benchmark Completed\n Class = " + class +
			"\n Iterations = 50\n Time in seconds = 0.5\n Total processes = 2\n Mop/s total = 7\n" +
			" Verification = SUCCESSFUL\n.\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "lu."+class+".x"), []byte(script), 0o755))
	}
	got := command(t, nil, "bench", "npb", "lu", "-n", "2", "--btl", "sm", "--class", "S,W", "--single-copy", "none",
		"--programs", dir, "--json")
	require.Equal(t, 0, got.code, got.stderr)
	for i, line := range lines(got.stdout) {
		var r nas.Result
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		require.Equal(t, []any{"sm", "none", "LU", []npb.Class{"S", "W"}[i], true, true},
			[]any{r.BTL, r.SingleCopy, r.Benchmark, r.Class, r.NASA, r.Verified})
	}
	require.Len(t, lines(got.stdout), 2)
	got = command(t, nil, "bench", "npb", "sp", "-n", "4", "--btl", "sm", "--programs", dir)
	require.NotZero(t, got.code)
	require.Contains(t, got.stderr, "sp.S.x")
}
