package main

import (
	"bufio"
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The command that -v prints has gdb find the names and the variables of a rank.
func TestDebuggerFindsRank(t *testing.T) {
	if _, err := exec.LookPath("gdb"); err != nil {
		t.Skip("gdb is not installed")
	}
	for _, model := range turn(t, 0) {
		t.Run(model, func(t *testing.T) { findRank(t, model) })
	}
}

func findRank(t *testing.T, model string) {
	program := programs.Build(t, "./testdata/debugged")
	job := exec.Command(pvasrun, "--btl", model, "-v", "-n", "2", "--timeout", "60", program)
	stdin, err := job.StdinPipe()
	require.NoError(t, err)
	stdout, err := job.StdoutPipe()
	require.NoError(t, err)
	stderr, err := job.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, job.Start())
	t.Cleanup(func() { _, _ = stdin.Close(), job.Wait() })
	debug := ""
	for log := bufio.NewScanner(stderr); debug == "" && log.Scan(); {
		_, debug, _ = strings.Cut(log.Text(), "rank 1: to debug it: pvasrun ")
	}
	require.NotEmpty(t, debug, "-v has not said how")
	for said := bufio.NewScanner(stdout); said.Scan() && said.Text() != "rank 1 is ready"; {
	}
	if words := strings.Fields(debug); model == "pvas" {
		got := command(t, nil, words[:2]...)
		require.Equal(t, 2, got.code)
		require.Contains(t, got.stderr, "give PROGRAM and OFFSET, too; pvasrun -v prints the command for each rank")
	}
	args := append(strings.Fields(debug), "--", "-nx", "-batch", "-ex", "print 'main.answer'")
	out, err := exec.Command(pvasrun, args...).CombinedOutput()
	if bytes.Contains(out, []byte("Operation not permitted")) {
		t.Skipf("ptrace is not permitted: %s", out)
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "$1 = 43\n")
	require.NoError(t, stdin.Close())
	require.NoError(t, job.Wait())
}

func TestDebugMistakes(t *testing.T) {
	for args, says := range map[string]string{
		"": "write pvasrun debug PID [PROGRAM OFFSET]", "x": `"x" is no process: pvasrun -v prints the command`,
		"1 ./prog": "write pvasrun debug PID", "1 ./prog y": `"y" is no address such as 0x7f8000625000`,
	} {
		got := command(t, nil, append([]string{"debug"}, strings.Fields(args)...)...)
		require.Equal(t, 2, got.code)
		require.Contains(t, got.stderr, says)
	}
}
