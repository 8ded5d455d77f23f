package main

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What stands before the program of a rank is done by pvasrun: the program is the rank.
func TestWrappers(t *testing.T) {
	program := programs.Build(t, "./testdata/settings")
	for _, model := range turn(t, 0) {
		run := func(args ...string) finished {
			return command(t, env("KEPT=1"), append([]string{"--btl", model, "-n", "2"}, args...)...)
		}
		got := run("env", "A=1", "nice", "-n", "3", "/usr/bin/time", "taskset", "-c", "0", "timeout", "60", "stdbuf",
			"-oL", program)
		require.Equal(t, 0, got.code, got.stderr)
		require.Equal(t, 2, strings.Count(got.stdout, "check=false"), "both are ranks of the job")
		for _, rank := range []string{"0", "1"} {
			require.Regexp(t, `(?m)^pvasrun: rank `+rank+`: real \d+\.\d\d s, user \d+\.\d\d s, system \d+\.\d\d s$`,
				got.stderr)
		}
		own := niceness(t)
		for words, want := range map[string]string{
			"env A=1 B=2 | echo $A $B $KEPT":              "1 2 1",
			"env -u KEPT | echo <$KEPT>":                  "<>",
			"env - A=1 | echo $A <$KEPT>":                 "1 <>",
			"env -i -u X --chdir=/ | pwd":                 "/",
			"nice -n 5 | nice":                            strconv.Itoa(min(own+5, 19)),
			"nice -7 nice | nice":                         strconv.Itoa(min(own+17, 19)),
			"taskset 1 | taskset -cp $$":                  "0",
			"stdbuf -o L -e0 | echo $_STDBUF_O$_STDBUF_E": "L0",
			"stdbuf --output=0 | echo ${LD_PRELOAD##*/}":  "libstdbuf.so",
		} {
			wrapper, script, _ := strings.Cut(words, " | ")
			script = strings.NewReplacer("<", `"<"`, ">", `">"`).Replace(script)
			got := run(append(strings.Fields(wrapper), "sh", "-c", script)...)
			require.Equal(t, 0, got.code, got.stderr)
			require.Regexp(t, `^(.* )?`+regexp.QuoteMeta(want)+`\n`, got.stdout, words)
		}
		got = run("timeout", "0.2s", "sleep", "60")
		require.Equal(t, 124, got.code, got.stderr)
		got = run("taskset", "-c", "1023", "true")
		require.Contains(t, got.stderr, "CPU 1023 is not one of those this job may use")
		require.Contains(t, run("env").stdout, "PVAS_RANK=1", "there is no program behind it")
	}
}

// A program that pvasrun does not know starts the rank by itself: then auto takes classic processes, and -v says so.
func TestOtherWrappersTakeProcesses(t *testing.T) {
	program := programs.Build(t, "./testdata/settings")
	for _, words := range [][]string{
		{"sh", "-c", program + "; true"}, {"setsid", "-w", program}, {"timeout", "-s", "KILL", "60", program},
		{"env", "A=1", "sh", "-c", "exec " + program}, {"env", "-S", program + " x"}, {"env", "-S" + program},
	} {
		got := command(t, nil, append([]string{"-n", "2"}, words...)...)
		require.Equal(t, 0, got.code, "%v %s", words, got.stderr)
		require.Equal(t, 2, strings.Count(got.stdout, "check=false"), "%v", words)
		require.Empty(t, got.stderr)
		got = command(t, nil, append([]string{"-v", "-n", "2"}, words...)...)
		require.Contains(t, got.stderr, " starts the rank, which then has an address space of its own", words)
	}
	got := command(t, nil, "-v", "-n", "1", program)
	require.NotContains(t, got.stderr, "starts the rank")
}

// niceness is that of this process.
func niceness(t *testing.T) int {
	out, err := exec.Command("nice").Output()
	require.NoError(t, err)
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	require.NoError(t, err)
	return n
}
