package programs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// events are the events of a trace as text, and what is said besides.
func events(t *testing.T, file string) (text, said string) {
	t.Helper()
	text, said, code := run(t, nil, filepath.Join(built, "pvasrun"), "trace", "list", file)
	require.Equal(t, 0, code, said)
	return text, said
}

// In a trace each call of a C program has its function, and its line if the program has debugging
// information.
func TestPlacesOfCalls(t *testing.T) {
	dir := t.TempDir()
	with, without := filepath.Join(dir, "with debug"), filepath.Join(dir, "without")
	compile(t, tool("mpicc"), "places.c", with, "-g")
	compile(t, tool("mpicc"), "places.c", without)
	eachWay(t, func(t *testing.T, w way) {
		file := filepath.Join(t.TempDir(), "job.trace")
		for program, places := range map[string][]string{
			with: {
				`send .* at places\.c:9 ping\+0x[0-9a-f]+\n`, `recv .* at places\.c:14 pong\+0x[0-9a-f]+\n`,
				`barrier .* at places\.c:28 main\+0x[0-9a-f]+\n`,
			},
			without: {`send .* at ping\+0x[0-9a-f]+\n`, `recv .* at pong\+0x[0-9a-f]+\n`,
				`barrier .* at main\+0x[0-9a-f]+\n`},
		} {
			w.ends(t, 2, "--trace", file, program)
			text, said := events(t, file)
			require.Empty(t, said)
			for i, n := range []int{3, 3, 6} {
				require.Len(t, regexp.MustCompile(places[i]).FindAllString(text, -1), n, "%s\n%s", places[i], text)
			}
			w.ends(t, 2, "--trace", file, program, "several threads")
			text, _ = events(t, file)
			require.Regexp(t, `barrier .*\n`, text)
			require.NotContains(t, text, " at ", "of several threads nobody knows which one calls")
		}
	})
}

// In Fortran it is the line of the program, not that of the subroutine of the library, also in the report of a hang.
func TestPlacesOfFortran(t *testing.T) {
	needs(t, "gfortran")
	program := build(t, "places.f90", "-g", "-O2", "-fno-inline")
	eachModel(t, func(t *testing.T, w way) {
		file := filepath.Join(t.TempDir(), "job.trace")
		w.ends(t, 2, "--trace", file, program)
		text, said := events(t, file)
		require.Empty(t, said)
		for place, n := range map[string]int{`send .* at places\.f90:10 places::step\+0x[0-9a-f]+\n`: 1,
			`recv .* at places\.f90:12 places::step\+0x[0-9a-f]+\n`: 1, `barrier .* at places\.f90:23 .*\n`: 2} {
			require.Len(t, regexp.MustCompile(place).FindAllString(text, -1), n, "%s\n%s", place, text)
		}
		_, text, code := w.start(t, 2, "--deadlock-after", "200ms", "--timeout", "60", program, "wait")
		require.NotZero(t, code)
		require.Regexp(t, `0 .* in MPI_Recv \(.* at places\.f90:25\) for `, text)
	})
}

// A program that is not the one that ran is not asked for names.
func TestPlacesOfAnotherBuild(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	compile(t, tool("mpicc"), "places.c", program)
	file := filepath.Join(t.TempDir(), "job.trace")
	way{btl: "sm", entry: "coroutine"}.ends(t, 2, "--trace", file, program)
	compile(t, tool("mpicc"), "places.c", program, "-g", "-O0")
	text, said := events(t, file)
	require.Contains(t, said, "another build than the one that was recorded")
	require.Regexp(t, `barrier .* at program\+0x[0-9a-f]+\n`, text)
	require.NoError(t, os.Remove(program))
	text, said = events(t, file)
	require.Contains(t, said, "no such file")
	require.Regexp(t, `barrier .* at program\+0x[0-9a-f]+\n`, text)
}

// onTwo are the flags of jobs of two ranks: in both models, and on two nodes.
func onTwo(t *testing.T) [][]string {
	return [][]string{
		{"-n", "2", "--btl", "pvas"}, {"-n", "2", "--btl", "sm"}, {"--hosts", "a:1,b:1", "--rsh", rshHere(t)},
	}
}

// rshHere is a program that starts what is to run on any node on this one.
func rshHere(t *testing.T) string {
	rsh := filepath.Join(t.TempDir(), "rsh")
	require.NoError(t, os.WriteFile(rsh, []byte("#!/bin/sh\nexec sh -c \"exec $2\"\n"), 0o755))
	return rsh
}

// The report of a hang names the place of each call that waits.
func TestPlacesOfWaits(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	out, err := exec.Command(tool("mpicc"), "-g", "-O2", filepath.Join("testdata", "deadlocks.c"), "-o",
		program).CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, where := range onTwo(t) {
		out, err := exec.Command(tool("mpiexec"), append(where, "--deadlock-after", "200ms", "--timeout", "60",
			program, "0")...).CombinedOutput()
		require.Error(t, err)
		require.Regexp(t, `0 .* in MPI_Recv \(main at deadlocks\.c:10\) for .*, waits for rank 1, tag 9, 4 bytes`,
			string(out))
		require.Regexp(t, `1 .* in MPI_Recv \(main at deadlocks\.c:10\) for .*, waits for rank 0, tag 9, 4 bytes`,
			string(out))
	}
}

// So it does with the calls of a rank that polls, and says what else the rank has open.
func TestPlacesOfPolls(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	compile(t, tool("mpicc"), "polls.c", program, "-g", "-O0")
	eachModel(t, func(t *testing.T, w way) {
		_, text, code := w.start(t, 2, "--timeout", "2", program)
		require.Equal(t, 124, code)
		require.Regexp(t,
			`0 .* polls by MPI_Testsome \(main at polls\.c:8\) for a recv: rank 1, tag \d, 4 bytes; 2 more open: `+
				`a recv: rank 1, tag \d, 4 bytes; a recv: rank 1, tag \d, 4 bytes\n`, text)
		require.Regexp(t,
			`1 .* polls by MPI_Test \(main at polls\.c:7\) for a recv: rank 0, tag 0, 4 bytes; 2 more open: `, text)
		_, text, code = w.start(t, 2, "--timeout", "2", program, "barrier") // whose own messages are not told
		require.Equal(t, 124, code)
		require.Regexp(t, `1 .* polls by MPI_Test \(main at polls\.c:11\) for ibarrier on "MPI_COMM_WORLD"; `+
			`3 more open: a recv: rank 0, tag \d, 4 bytes; a recv: rank 0, tag \d, 4 bytes; `+
			`a recv: rank 0, tag \d, 4 bytes\n`, text)
	})
}

// A partitioned send of which the program has not made all partitions ready is a deadlock of its rank alone.
func TestForgottenPready(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	compile(t, tool("mpicc"), "forgotten_pready.c", program, "-g", "-O0")
	for _, where := range onTwo(t) {
		cmd := exec.Command(tool("mpiexec"), append(where, "--deadlock-after", "200ms", "--timeout", "60", program)...)
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		text := string(out)
		require.Equal(t, 125, cmd.ProcessState.ExitCode(), text)
		require.Regexp(t, `0 .* in MPI_Wait \(main at forgotten_pready\.c:12\) for .*, waits for its own MPI_Pready `+
			`of 2 partitions, first of partition 1, of a send: rank 1, tag 5\n`, text)
	}
}
