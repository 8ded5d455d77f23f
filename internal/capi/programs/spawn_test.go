package programs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// Ranks start others, which are a world of their own, talk to them and end. They may be on several nodes.
func TestSpawn(t *testing.T) {
	program, rsh := build(t, "spawned.c"), rshHere(t)
	wheres := [][]string{{"-n", "3"}, {"--hosts", "a:1,b:2", "--rsh", rsh},
		{"-n", "1", "--hosts", "a,b:2", "--rsh", rsh}, {"-n", "1"}}
	for b, btl := range []string{"pvas", "sm"} {
		for k, kind := range []string{"many", "refused", "keys", "generations", "unwilling", "closed",
			"left behind", "deaf", "script"} {
			for _, i := range testkit.Turn(b+k, 0, 1, 2, 3) {
				where, ranks := wheres[i], 3
				if where[1] == "1" {
					ranks = 1
				}
				t.Run(fmt.Sprint(btl, "/", kind, "/", i), func(t *testing.T) {
					room := append([]string{"--universe", "40", "--btl", btl, "--timeout", "120"}, where...)
					if kind == "keys" { // there is room for 2 of 3
						room[1] = fmt.Sprint(ranks + 4)
					}
					stdout, stderr, code := run(t, nil, tool("mpiexec"), append(room, program, kind)...)
					require.Equal(t, 0, code, "%s%s", stdout, stderr)
					require.Empty(t, stderr)
				})
			}
		}
	}
}

// A child that fails before the parents know it is an error of theirs. One that fails later ends the job, unless its
// world has disconnected from all others: then that world alone.
func TestSpawnedRanksFail(t *testing.T) {
	program, rsh := build(t, "spawned.c"), rshHere(t)
	for b, btl := range []string{"pvas", "sm"} {
		for i, c := range []struct {
			kind, stdout, stderr string
			code                 int
		}{
			{"killed early", "still here\nstill here\n", "was killed by signal 9", 137},
			{"dies", "still here\nstill here\n", "exited with code 9", 9},
			{"abandoned", "still here\nstill here\n",
				"exited with code 9; the ranks that were started with it end: 2", 9},
			{"aborted", "still here\nstill here\n",
				"rank 3: MPI_Abort on MPI_COMM_WORLD: ends world 1 of the job with error code 9\n", 9},
			{"faithless", "", "exited with code 9; ending the other 3 ranks", 9},
			{"stuck", "", "  3 (rank 1 of world 1)  ", 125},
		} {
			for _, where := range testkit.Turn(b+i, []string{"-n", "2"}, []string{"--hosts", "a:1,b:1", "--rsh", rsh}) {
				t.Run(btl+"/"+c.kind+"/"+where[1], func(t *testing.T) {
					args := append([]string{"--btl", btl, "--timeout", "120", "--deadlock-after", "500ms"}, where...)
					stdout, stderr, code := run(t, nil, tool("mpiexec"), append(args, program, c.kind)...)
					require.Equal(t, c.code, code, "%s%s", stdout, stderr)
					require.Equal(t, c.stdout, stdout)
					require.Contains(t, stderr, c.stderr)
				})
			}
		}
	}
}

// Programs learn how many ranks there may be, and which of the programs of the job they are.
func TestUniverse(t *testing.T) {
	program := build(t, "spawned.c")
	for _, btl := range []string{"pvas", "sm"} {
		_, stderr, code := run(t, nil, tool("mpiexec"), "--btl", btl, "--universe", "50", "-n", "1",
			program, "universe",
			"50", "0", ":", "-n", "2", program, "universe", "50", "1")
		require.Equal(t, 0, code, stderr)
	}
	_, stderr, code := run(t, nil, tool("mpiexec"), "-n", "3", "--universe", "2", program)
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "--universe 2")
	// a recorded job
	trace := filepath.Join(t.TempDir(), "trace")
	_, stderr, code = run(t, nil, tool("mpiexec"), "-n", "1", "--trace", trace, program, "many")
	require.NotZero(t, code)
	require.Contains(t, stderr, "--trace")
	require.NoError(t, os.RemoveAll(trace))
}

// Ranks in Go start others, which are in a communicator with them.
func TestSpawnInGo(t *testing.T) {
	program := goPrograms.Build(t, "./testdata/spawns")
	for _, btl := range []string{"pvas", "sm"} {
		stdout := way{btl: btl}.ends(t, 2, program)
		lines := strings.Split(strings.TrimSpace(stdout), "\n")
		require.ElementsMatch(t, []string{"2 of 5: 10", "3 of 5: 10"}, lines)
	}
}
