package main

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// With --survive a rank that fails does not end the job. Calls that need it fail, all others go on. The code is that of
// the survivors, or of the first failure if there are none, or if it is asked for.
func TestSurvive(t *testing.T) {
	program := programs.Build(t, "./testdata/survives")
	for i, c := range []struct {
		flag, scenario string
		code           int
		stdout, stderr string
	}{
		{"--survive", "messages", 0, "messages: right\n", "by signal 9 (killed, SIGKILL); the job goes on with 3"},
		{"--survive", "messages exit", 0, "messages: right\n", "exited with code 0 after Init and without Finalize"},
		{"--survive=strict", "messages", 137, "messages: right\n", "was killed by signal 9"},
		{"--survive", "finalized", 5, "", "exited with code 5 after Finalize"},
		{"--survive", "all", 6, "", "exited with code 7; no rank was running"},
		{"--survive", "error", 0, "", "this rank gives up"},
		{"--survive", "abort", 8, "", "ending the other 3 ranks"},
		{"--survive", "early", 9, "", "exited with code 9; ending the other 3 ranks"},
		{"--survive", "spawn", 0, "spawn: right\n", "exited with code 1; the job goes on"},
		{"--survive", "during", 0, "during: right\n", "the job goes on"},
		{"--survive", "parent", 0, "parent: right\n", "was killed by signal 9"},
		{"--survive", "revoke", 0, "revoke: right\n", ""},
		{"--survive", "collectives", 0, "collectives: right\n", "was killed by signal 9"},
		{"--survive --progress=owner", "revoke", 0, "revoke: right\n", ""},
		{"--survive", "world", 0, "", ""},
		{"--survive", "agree", 0, "agree: right\n", "the job goes on with 1 rank"},
		{"--survive", "memory", 0, "memory: right\n", "was killed by signal 9"},
		{"--survive", "memory exit", 0, "memory: right\n", "exited with code 0"},
		{"--survive=off", "messages", 137, "", "ending the other 3 ranks"},
	} {
		for _, btl := range turn(t, i) {
			t.Run(strings.Join([]string{c.flag, c.scenario, btl}, "/"), func(t *testing.T) {
				args := append(strings.Fields(c.flag), "--btl", btl, "-n", "4", "--timeout", "60", program)
				got := command(t, nil, append(args, strings.Fields(c.scenario)...)...)
				require.Equal(t, c.code, got.code, "%s%s", got.stdout, got.stderr)
				require.Contains(t, got.stderr, c.stderr)
				require.Equal(t, c.stdout, got.stdout, got.stderr)
			})
		}
	}
}

// Whatever ranks die at whatever instruction, those that live end the same run of mpi.Survive, or all begin another.
func TestSurviveRunsAgain(t *testing.T) {
	program := programs.Build(t, "./testdata/survives")
	seeds := 4
	if testkit.Long() {
		seeds = 100
	}
	for seed := range seeds {
		for _, btl := range models(t) {
			n := fmt.Sprint(2 + seed*3%7)
			got := command(t, nil, "--survive", "--btl", btl, "-n", n, "--timeout", "60", program, "again",
				fmt.Sprint(seed))
			require.Equal(t, 0, got.code, "%s ranks, seed %d, %s: %s", n, seed, btl, got.stderr)
			require.Equal(t, "again: right\n", got.stdout, got.stderr)
		}
	}
}

// Ranks that have failed are replaced one after the other: the universe is that of the living. Nothing that is left of
// one is taken for its successor's.
func TestSurviveReplaces(t *testing.T) {
	program := programs.Build(t, "./testdata/survives")
	for _, c := range []struct {
		btl          string
		rounds, long int
	}{{"sm", 200, 10_000}, {"pvas", 100, 1500}} {
		rounds := c.rounds
		if testkit.Long() {
			rounds = c.long
		}
		for _, btl := range models(t) {
			if btl != c.btl {
				continue
			}
			got := command(t, nil, "--survive", "--universe", "4", "--btl", btl, "-n", "4", "--timeout", "1000",
				program, "replace", fmt.Sprint(rounds))
			require.Equal(t, 0, got.code, "%s: %s", btl, got.stderr)
			require.Equal(t, "replace: right\n", got.stdout, got.stderr)
		}
	}
}

// The memory of ranks that have failed is given back, also where all share an address space. What they have kept stays.
func TestSurviveGivesMemoryBack(t *testing.T) {
	if !slices.Contains(models(t), "pvas") {
		t.Skip("a classic process takes its memory along")
	}
	rounds := "7" // of four the memory may be left
	if testkit.Long() {
		rounds = "20"
	}
	program := programs.Build(t, "./testdata/survives")
	got := command(t, nil, "--survive", "--btl", "pvas", "-n", "4", "--timeout", "300", program, "heavy", rounds)
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, "heavy: right\n", got.stdout, got.stderr)
}

// With --respawn those that fail are started anew, in their old places, at times that a seed gives. At most N are.
func TestSurviveRefills(t *testing.T) {
	program := programs.Build(t, "./testdata/survives")
	seeds := 4
	if testkit.Long() {
		seeds = 100
	}
	for _, btl := range models(t) {
		for seed := range seeds {
			n := fmt.Sprint(2 + seed%5)
			got := command(t, nil, "--respawn", "1000", "--btl", btl, "-n", n, "--timeout", "60", program, "refill",
				fmt.Sprint(seed))
			require.Equal(t, 0, got.code, "%s ranks, seed %d, %s: %s", n, seed, btl, got.stderr)
			require.Equal(t, "refill: right\n", got.stdout, got.stderr)
		}
		got := command(t, nil, "--respawn", "3", "--btl", btl, "-n", "3", "--timeout", "60", program, "budget", "3")
		require.Equal(t, 0, got.code, "%s: %s", btl, got.stderr)
		require.Equal(t, "budget: right\n", got.stdout, got.stderr)
	}
}

// Processes that a rank has started end with it when it fails.
func TestSurviveEndsChildren(t *testing.T) {
	program := programs.Build(t, "./testdata/survives")
	for _, btl := range models(t) {
		got := command(t, nil, "--survive", "--btl", btl, "-n", "3", "--timeout", "60", program, "children")
		require.Equal(t, 0, got.code, got.stderr)
		var child int
		_, err := fmt.Sscanf(got.stdout, "child %d", &child)
		require.NoError(t, err, got.stdout)
		_, there := processes.Find(child)
		require.False(t, there && syscall.Kill(child, 0) == nil, "the child lives")
		require.Contains(t, got.stdout, "children: right")
	}
}

func TestSurviveOnOneNodeOnly(t *testing.T) {
	got := command(t, nil, "--survive", "--hosts", "a:1,b:1", "true")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "on one node only")
}
