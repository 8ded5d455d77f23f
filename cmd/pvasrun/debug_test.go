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
	if models(t)[0] != "pvas" {
		t.Skip("one address space is not supported")
	}
	if _, err := exec.LookPath("gdb"); err != nil {
		t.Skip("gdb is not installed")
	}
	program := programs.Build(t, "./testdata/debugged")
	job := exec.Command(pvasrun, "--btl", "pvas", "-v", "-n", "2", "--timeout", "60", program)
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
		_, debug, _ = strings.Cut(log.Text(), "rank 1: to debug it: ")
	}
	require.NotEmpty(t, debug, "-v has not said how")
	for said := bufio.NewScanner(stdout); said.Scan() && said.Text() != "rank 1 is ready"; {
	}
	out, err := exec.Command("sh", "-c", debug+` -nx -batch -ex "print 'main.answer'"`).CombinedOutput()
	if bytes.Contains(out, []byte("Operation not permitted")) {
		t.Skipf("ptrace is not permitted: %s", out)
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "$1 = 43\n")
	require.NoError(t, stdin.Close())
	require.NoError(t, job.Wait())
}
