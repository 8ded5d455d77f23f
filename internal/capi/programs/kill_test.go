package programs

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// A rank that is killed at any instruction ends the job with its signal; nothing hangs.
func TestKills(t *testing.T) {
	program := build(t, "forever.c")
	random := testkit.Rand(t)
	eachWay(t, func(t *testing.T, w way) {
		for range testkit.Rounds(5) {
			const ranks = 4
			cmd := exec.Command(tool("mpiexec"), "-n", strconv.Itoa(ranks), "--btl", w.btl, "--timeout", "100", program)
			cmd.Env = append(cmd.Environ(), "PVAS_ENTRY="+w.entry)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			var pids []int
			for lines := bufio.NewScanner(out); len(pids) < ranks && lines.Scan(); {
				pid, err := strconv.Atoi(lines.Text())
				require.NoError(t, err)
				pids = append(pids, pid)
			}
			if len(pids) == ranks {
				require.NoError(t, syscall.Kill(pids[random.IntN(ranks)], syscall.SIGKILL))
			}
			require.Error(t, cmd.Wait())
			require.Equal(t, 128+int(syscall.SIGKILL), cmd.ProcessState.ExitCode(), stderr.String())
			require.Contains(t, stderr.String(), "was killed by signal 9 ")
		}
	})
}

// What ranks wait for is told for C programs too.
func TestHang(t *testing.T) {
	program := build(t, "hang.c")
	var lines []string
	for rank, call := range []string{"MPI_Recv .* tag 99", "MPI_Waitall .* tag 99",
		"MPI_Probe .* tag 99", "MPI_Finalize "} {
		lines = append(lines, fmt.Sprintf(`(?m)^  %d +\d+ +in %s`, rank, call))
	}
	eachWay(t, func(t *testing.T, w way) {
		cmd := exec.Command(tool("mpiexec"), "-n", "4", "--btl", w.btl, program)
		cmd.Env = append(cmd.Environ(), "PVAS_ENTRY="+w.entry)
		testkit.HangReport(t, cmd, 4, lines...)
	})
}

// A request that is left at the end is told, and is no error.
func TestLeftRequest(t *testing.T) {
	program := build(t, "left.c")
	eachWay(t, func(t *testing.T, w way) {
		_, stderr, code := w.start(t, 1, program)
		require.Equal(t, 0, code, stderr)
		require.Contains(t, stderr, "rank 0: MPI_Finalize: warning: requests left: 1 (one is a receive of 4 bytes")
	})
}

// Programs in C that can never go on are told so, also with intercommunicators.
func TestDeadlocks(t *testing.T) {
	program := build(t, "deadlocks.c")
	const cases = 13
	for n := range cases {
		for _, btl := range testkit.Turn(n, "pvas", "sm") {
			out, err := exec.Command(tool("mpiexec"), "-n", "4", "--btl", btl, "--deadlock-after",
				"200ms", "--timeout", "60",
				program, fmt.Sprint(n)).CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, "%s", out)
			require.Equal(t, 125, exit.ExitCode(), "case %d, %s: %s", n, btl, out)
			require.Contains(t, string(out), "  deadlock, proved: ")
		}
	}
}

// Threads that race in calls of one communicator hang nowhere: each call ends, or a deadlock is proved.
func TestRaces(t *testing.T) {
	program := build(t, "races.c", "-lpthread")
	eachModel(t, func(t *testing.T, w way) {
		for _, what := range turns(w, "ibarrier", "iallreduce", "split", "dup", "shared", "allocate", "free", "open") {
			_, text, code := w.start(t, 3, "--deadlock-after", "200ms", "--timeout", "60", program, what)
			if code != 0 {
				require.Equal(t, 125, code, "%s: %s", what, text)
				require.Contains(t, text, "  deadlock, proved: ", what)
			}
		}
	})
}

// TestDeadlocksOfWindows: what a rank waits for at a window has a name, and so has the one that holds it. So two ranks
// that can never go on are found beside one that computes.
func TestDeadlocksOfWindows(t *testing.T) {
	program := build(t, "window_hangs.c")
	eachModel(t, func(t *testing.T, w way) {
		reports := map[string]string{
			"locks":  `MPI_Win_lock( \(.*\))? for .*, waits for the lock of rank 0 of window "grid", held by rank 0`,
			"shared": `MPI_Win_lock( \(.*\))? for .*, waits for the lock of rank 1 of window "grid", held by rank 0`,
			"all":    `MPI_Win_lock( \(.*\))? for .*, waits for the lock of rank 1 of window "grid", held by rank 0`,
			"put":    `MPI_Put( \(.*\))? for .*, waits for the lock of rank 0 of window "grid", held by rank 0`,
			"fence":  `MPI_Win_fence( \(.*\))? on window "grid" for .*, waits for rank 0`,
			"start":  `MPI_Win_start( \(.*\))? on window "grid" for .*, waits for rank 0`,
			"wait":   `MPI_Win_wait( \(.*\))? on window "grid" for .*, waits for rank 0`,
			"free":   `MPI_Win_free( \(.*\))? on window "grid" for .*, waits for rank 0`,
		}
		for _, how := range turns(w, slices.Sorted(maps.Keys(reports))...) {
			_, text, code := w.start(t, 3, "--deadlock-after", "200ms", "--timeout", "60", program, how)
			require.Equal(t, 125, code, "%s: %s", how, text)
			require.Regexp(t, `(?m)^  1 +\d+ +in `+reports[how]+`$`, text, how)
			require.Contains(t, text, "  deadlock, proved: rank 0 waits for rank 1 waits for rank 0; ", how)
		}
	})
}

// Programs that survive the failure of a rank learn of it by error classes, and go on.
func TestSurvivors(t *testing.T) {
	program := build(t, "survivors.c")
	eachWay(t, func(t *testing.T, w way) {
		stderr := w.survives(t, program)
		require.Contains(t, stderr, "was killed by signal 9 (killed, SIGKILL); the job goes on with 3 ranks")
	})
}

// The names of Fortran, by the module mpi_f08, the module mpi, and mpif.h.
func TestSurvivorsInFortran(t *testing.T) {
	needs(t, "gfortran")
	program := build(t, "survivors.f90")
	eachWay(t, func(t *testing.T, w way) { w.survives(t, program) })
}

// TestWindowsOutlive: calls on a window end though a rank has died there, in whatever epoch, and the window is freed.
func TestWindowsOutlive(t *testing.T) {
	program := build(t, "window_survivors.c")
	eachModel(t, func(t *testing.T, w way) {
		for _, how := range turns(w, "fence", "created", "waits", "exclusive", "its own", "all", "shared", "start",
			"complete", "wait", "test", "accumulate", "revoke", "revoked lock", "nothing") {
			w.survives(t, program, how)
		}
		// What the dead rank had there can be read, if this process can address it.
		w.survives(t, program, "reads")
		w.survives(t, program, "reads shared")
		if w.btl == "pvas" {
			w.survives(t, program, "reads created")
		}
	})
}

// TestKept: what a rank has kept is read when it has failed, in the state that its version names.
func TestKept(t *testing.T) {
	program := build(t, "kept.c")
	eachModel(t, func(t *testing.T, w way) { w.survives(t, program) })
}

// TestFilesOutlive: collective calls on a file end though a rank has died, and the file is closed.
func TestFilesOutlive(t *testing.T) {
	program := build(t, "file_survivors.c")
	eachModel(t, func(t *testing.T, w way) {
		for _, how := range turns(w, "write at", "read at", "write", "read", "ordered", "begin", "request", "view",
			"size", "preallocate", "sync", "atomicity", "seek", "close", "revoke") {
			w.survives(t, program, how, filepath.Join(t.TempDir(), "file"))
		}
	})
}

// survives runs a program as four ranks of a job that survives. One of them fails.
func (w way) survives(t *testing.T, program string, args ...string) (stderr string) {
	t.Helper()
	all := append([]string{"--with-ft", "ulfm", "-n", "4", "--btl", w.btl, "--timeout", "60", program}, args...)
	stdout, stderr, code := run(t, []string{"PVAS_ENTRY=" + w.entry}, tool("mpiexec"), all...)
	require.Equal(t, 0, code, "%q: %s%s", args, stdout, stderr)
	require.Equal(t, "survived\n", stdout, "%q", args)
	require.Contains(t, stderr, "; the job goes on with 3 ranks", "%q", args)
	return stderr
}
