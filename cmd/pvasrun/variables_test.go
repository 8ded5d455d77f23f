package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// helpLine is a flag in a help text: its name, what its value looks like, and its variable.
var helpLine = regexp.MustCompile(`\n +(-\w, --[\w-]+|--[\w-]+|-\w)(?:[=:](\S+))?\s[^$]*?\[\$(\w+)\]`)

// flagOf is a flag of one of the commands.
type flagOf struct{ command, name, value string }

// variables are the flags of all commands by their variables.
func variables(t *testing.T) map[string][]flagOf {
	commands := [][]string{
		{}, {"info"}, {"model", "fit"}, {"model", "run"}, {"model", "show"}, {"model", "exchange"}, {"trace", "info"},
		{"trace", "list"}, {"tune"},
	}
	for name := range strings.FieldsSeq(command(t, env("GO_FLAGS_COMPLETION=1"), "bench", "").stdout) {
		commands = append(commands, []string{"bench", name})
	}
	all := map[string][]flagOf{}
	for _, c := range commands {
		help := command(t, nil, append(c, "--help")...)
		require.Equal(t, 0, help.code, help.stderr)
		found := helpLine.FindAllStringSubmatch(help.stdout, -1)
		require.Len(t, found, strings.Count(help.stdout, "[$"), "%v: a flag was not understood", c)
		for _, m := range found {
			all[m[3]] = append(all[m[3]], flagOf{strings.Join(c, " "), m[1], m[2]})
		}
	}
	return all
}

// Flags that share a variable mean the same by it: they have one name, and take the same
// values. No flag of a benchmark shares one with a flag of jobs.
func TestVariablesMeanOneThing(t *testing.T) {
	all := variables(t)
	require.Greater(t, len(all), 40, "the flags were not found")
	require.Contains(t, all, "PVASRUN_NP")
	require.Contains(t, all, "PVASRUN_BENCH_NP_LIST")
	for variable, shared := range all {
		require.True(t, strings.HasPrefix(variable, "PVASRUN_"), variable)
		for _, f := range shared {
			require.Equal(t, shared[0].name, f.name, variable)
			require.Equal(t, shared[0].value, f.value, "%s: %v", variable, shared)
			require.Equal(t, strings.HasPrefix(f.command, "bench"),
				strings.HasPrefix(variable, "PVASRUN_BENCH_"), variable)
		}
	}
}

// What is right for a job is no mistake of a benchmark's command line.
func TestVariablesOfJobsDoNotReachBenchmarks(t *testing.T) {
	jobs := []string{"PVASRUN_BTL=auto", "PVASRUN_BIND=0,2", "PVASRUN_HELPERS=1", "PVASRUN_NP=8",
		"PVASRUN_SINGLE_COPY=cma"}
	got := command(t, env(jobs...), "bench", "pingpong", "-n", "1")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "-n 1: pingpong needs two ranks")
	got = command(t, env(append(jobs, "PVASRUN_BENCH_NP=1")...), "bench", "pingpong")
	require.Contains(t, got.stderr, "-n 1: pingpong needs two ranks")
	got = command(t, env(append(jobs, "PVASRUN_BENCH_NP_LIST=none")...), "bench", "overlap")
	require.Contains(t, got.stderr, `from PVASRUN_BENCH_NP_LIST: "none" is not a list of numbers`)
}
