package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A rank is killed at a random moment of a transfer, 200 times: every survivor
// gets an error that names a rank, by itself, before the launcher would kill it
// (2 s), and nothing is left.
func TestKillInTransfer(t *testing.T) {
	program := filepath.Join(t.TempDir(), "transfer")
	buildPIE(t, program, "./testdata/transfer")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	btls := models(t)
	for i := range 200 {
		flags := []string{"--btl", btls[i%len(btls)]}
		if i%4 == 1 {
			flags = append(flags, "--single-copy", "none")
		}
		killOnce(t, append(flags, "-n", fmt.Sprint(2+random.IntN(4)), program), random)
	}
}

func killOnce(t *testing.T, args []string, random *rand.Rand) {
	t.Helper()
	cmd := exec.Command(pvasrun, args...)
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
	killed := time.Now()
	require.NoError(t, syscall.Kill(pids[random.IntN(n)], syscall.SIGKILL))
	survivors := 0
	for lines.Scan() {
		require.True(t, strings.HasPrefix(lines.Text(), "survivor: lost rank "), "%v: %s", args, lines.Text())
		survivors++
	}
	_ = cmd.Wait()
	require.Equal(t, n-1, survivors, "%v: %s", args, &stderr)
	require.Equal(t, 128+int(syscall.SIGKILL), cmd.ProcessState.ExitCode(), "%v: %s", args, &stderr)
	require.Less(t, time.Since(killed), 2*time.Second, "%v: somebody had to be killed", args)
	for _, pid := range pids {
		require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
	}
}
