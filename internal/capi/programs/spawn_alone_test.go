package programs

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// noPath is an environment in which no pvasrun is in PATH.
var noPath = []string{"PATH=/usr/bin:/bin"}

// A program that is started without pvasrun starts others: pvasrun is beside its MPI library.
func TestSpawnAlone(t *testing.T) {
	program := build(t, "spawned.c")
	for i, kind := range []string{"many", "refused", "generations", "named", "unwilling", "closed", "left behind",
		"deaf", "script"} {
		for _, entry := range testkit.Turn(i, "coroutine", "cgo") {
			t.Run(kind+"/"+entry, func(t *testing.T) {
				stdout, stderr, code := run(t, append([]string{"PVAS_ENTRY=" + entry}, noPath...), program, kind)
				require.Equal(t, 0, code, "%s%s", stdout, stderr)
				require.Empty(t, stderr)
			})
		}
	}
}

// The ends of others concern the process as in any job.
func TestSpawnedAloneFail(t *testing.T) {
	program := build(t, "spawned.c")
	for _, c := range []struct {
		kind, stdout, stderr string
		code                 int
	}{
		{"killed early", "still here\n", "was killed by signal 9", 0},
		{"dies", "still here\n", "exited with code 9", 0},
		{"abandoned", "still here\n", "exited with code 9; the ranks that were started with it end: 2", 0},
		{"aborted", "still here\n",
			"rank 2: MPI_Abort on MPI_COMM_WORLD: ends world 1 of the job with error code 9\n", 0},
		{"faithless", "", "exited with code 9; ending the other 2 ranks", -1},
		{"stuck", "", "  2 (rank 1 of world 1)  ", -1},
	} {
		t.Run(c.kind, func(t *testing.T) {
			stdout, stderr, code := run(t, noPath, program, c.kind)
			require.Equal(t, c.code, code, "%s%s", stdout, stderr)
			require.Equal(t, c.stdout, stdout)
			require.Contains(t, stderr, c.stderr)
			require.NotContains(t, stderr, "end: 0")
		})
	}
}

// If the process is killed, or pvasrun, nobody is left.
func TestSpawnAloneKill(t *testing.T) {
	program := build(t, "spawned.c")
	for _, victim := range []string{"process", "pvasrun"} {
		t.Run(victim, func(t *testing.T) {
			cmd := exec.Command(program, "patient")
			cmd.Env = append(os.Environ(), noPath...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, write, err := os.Pipe()
			require.NoError(t, err)
			defer out.Close()
			cmd.Stdout = write
			require.NoError(t, cmd.Start())
			require.NoError(t, write.Close())
			var pids [2]int
			var pvasrun int
			in := bufio.NewReader(out)
			for i := range pids {
				line, err := in.ReadString('\n')
				require.NoError(t, err)
				_, err = fmt.Sscan(line, &pids[i], &pvasrun)
				require.NoError(t, err)
			}
			who := map[string]int{"process": cmd.Process.Pid, "pvasrun": pvasrun}[victim]
			require.NoError(t, sys.Kill(who, syscall.SIGKILL))
			_, err = io.Copy(io.Discard, in) // until all that could write have ended
			require.NoError(t, err)
			err = cmd.Wait()
			for _, pid := range append(pids[:], pvasrun) {
				require.NoError(t, sys.AwaitExit(pid))
			}
			if victim == "pvasrun" {
				require.ErrorContains(t, err, "exit status 1")
				require.Contains(t, stderr.String(), "pvasrun, which has started others for this process, has ended")
				return
			}
			require.ErrorContains(t, err, "signal: killed")
			require.Contains(t, stderr.String(),
				"has ended without Finalize, in C MPI_Finalize; ending the other 2 ranks")
		})
	}
}

// A program in Go does so, if pvasrun is beside it or in PATH.
func TestSpawnAloneInGo(t *testing.T) {
	program := filepath.Join(t.TempDir(), "spawns")
	text, err := os.ReadFile(goPrograms.Build(t, "./testdata/spawns"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, text, 0o755))
	beside := filepath.Join(filepath.Dir(program), "pvasrun")

	_, stderr, code := run(t, noPath, program)
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "this needs pvasrun, which is neither beside the MPI library or the program nor in")

	for said, want := range map[string]string{"": "it does not serve programs that it has not started",
		"echo size is 7 >&4": "size is 7"} {
		require.NoError(t, os.WriteFile(beside, []byte("#!/bin/sh\n"+said+"\n"), 0o755))
		_, stderr, code = run(t, noPath, program)
		require.Equal(t, 1, code)
		require.Contains(t, stderr, beside+": "+want)
	}
	require.NoError(t, os.Remove(beside))
	for range 2 {
		stdout, stderr, code := run(t, []string{"PATH=" + filepath.Join(installed, "bin")}, program)
		require.Equal(t, 0, code, stderr)
		require.Empty(t, stderr)
		require.ElementsMatch(t, []string{"1 of 4: 6", "3 of 4: 6"}, strings.Split(strings.TrimSpace(stdout), "\n"))
		require.NoError(t, os.RemoveAll(beside))
		require.NoError(t, os.Symlink(tool("pvasrun"), beside)) // then it is beside
	}
}
