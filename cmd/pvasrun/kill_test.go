package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// A rank is killed at a random moment of a transfer, 100 times: every survivor
// gets an error that names a rank, by itself, ends before the launcher kills it, and
// nothing is left.
func TestKillInTransfer(t *testing.T) {
	killMany(t, testkit.Rounds(100), func(i int, _ string) (flags []string) {
		if i%4 == 1 {
			flags = []string{"--single-copy", "none"}
		}
		return flags
	}, "transfer")
}

// killMany starts a program of testdata so many times, with 2 to 5 ranks, in turn in the
// task models that there are, with further flags.
func killMany(t *testing.T, times int, more func(i int, btl string) []string, name string, args ...string) {
	t.Helper()
	program := programs.Build(t, "./testdata/"+name)
	random := testkit.Rand(t)
	btls := models(t)
	for i := range times {
		btl := btls[i%len(btls)]
		line := append([]string{"--btl", btl}, more(i, btl)...)
		line = append(line, "-n", fmt.Sprint(2+random.IntN(4)), program)
		killOnce(t, append(line, args...), random)
	}
}

// killed is what --verbose says of each rank that was killed.
var killed = regexp.MustCompile(`rank \d+ \(pid \d+\) was killed by signal 9`)

func killOnce(t *testing.T, args []string, random *rand.Rand) {
	t.Helper()
	cmd := exec.Command(pvasrun, append([]string{"--verbose"}, args...)...)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(stdout)
	var n int
	_, err = fmt.Sscan(args[slices.Index(args, "-n")+1], &n)
	require.NoError(t, err)
	pids := make([]int, n)
	for i := range pids {
		require.True(t, lines.Scan(), "%v: %s", args, &stderr)
		_, err := fmt.Sscanf(lines.Text(), "pid %d", &pids[i])
		require.NoError(t, err, lines.Text())
	}
	// There is no event to wait for: the moment is meant to be any.
	time.Sleep(time.Duration(random.IntN(20_000)) * time.Microsecond)
	require.NoError(t, syscall.Kill(pids[random.IntN(n)], syscall.SIGKILL))
	survivors := 0
	for lines.Scan() {
		require.True(t, strings.HasPrefix(lines.Text(), "survivor: lost rank "), "%v: %s", args, lines.Text())
		survivors++
	}
	_ = cmd.Wait()
	require.Equal(t, n-1, survivors, "%v: %s", args, &stderr)
	require.Equal(t, 128+int(syscall.SIGKILL), cmd.ProcessState.ExitCode(), "%v: %s", args, &stderr)
	ends := killed.FindAllString(stderr.String(), -1)
	require.Len(t, ends, 1, "%v: somebody else had to be killed: %s", args, &stderr)
	for _, pid := range pids {
		require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
	}
}
