package programs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// lineOf is the number of the first line of a file of testdata with a text.
func lineOf(t *testing.T, file, text string) int {
	source, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	before, _, found := strings.Cut(string(source), text)
	require.True(t, found, text)
	return 1 + strings.Count(before, "\n")
}

// A fatal signal is reported once, by the rank, with the address, and with functions and lines of the program. The
// code of the job is that of the signal.
func TestFaults(t *testing.T) {
	c, fortran, cxx := build(t, "faults.c", "-g", "-pthread"), "", ""
	if _, err := exec.LookPath("gfortran"); err == nil {
		fortran = build(t, "faults.f90", "-g", "-O2", "-fno-inline")
	}
	if _, err := exec.LookPath("g++"); err == nil {
		cxx = build(t, "faults.cc", "-g", "-O2")
	}
	cases := []struct {
		name, program, how string
		code               int
		cause              string // a regular expression
		function, source   string
		mark               string // in the line of the source that is named
	}{
		{"store", c, "s", 139, "SIGSEGV at address 0x10", "store_nowhere", "faults.c", "/* the fault */"},
		{"division", c, "d", 136, "SIGFPE at address 0x[0-9a-f]+", "divide_by_zero", "faults.c", "/* the division */"},
		{"recursion", c, "r", 139, "SIGSEGV at address 0x[0-9a-f]+: stack overflow; raise --stack-size or ulimit -s",
			"deep", "faults.c", "/* deeper */"},
		{"call", c, "n", 139, "SIGSEGV at address 0x0", "call_nothing", "faults.c", "/* nobody */"},
		{"message", c, "m", 139, "SIGSEGV at address 0x400000000000", "send_nowhere", "faults.c", "/* the call */"},
		{"first instruction", c, "f", 139, "SIGSEGV at address 0x10", "store_first", "faults.c", "/* the first */"},
		{"not canonical", c, "c", 139,
			`SIGSEGV at an unknown address \(it is not canonical, or the instruction is privileged\)`,
			"store_far", "faults.c", "/* not canonical */"},
		{"in a handler", c, "i", 139, "SIGSEGV at address 0x10", "trap_first", "faults.c", "/* the trap */"},
		{"abort", c, "a", 134, "SIGABRT", "give_up", "faults.c", "/* the end */"},
		{"thread", c, "t", 139, "SIGSEGV at address 0x10", "store_nowhere", "faults.c", "/* the fault */"},
		{"Fortran", fortran, "", 139, "SIGSEGV at .*", "place::store",
			"faults.f90", "! the fault"},
		{"Fortran main", fortran, "", 139, "SIGSEGV at .*", "faults",
			"faults.f90", "! the beginning"},
		{"C++ inlined", cxx, "", 134, "SIGABRT", "give_up", "faults.cc", "// the end"},
		{"C++", cxx, "", 134, "SIGABRT", "solve<int>", "faults.cc", "// the way there"},
		{"C++ main", cxx, "", 134, "SIGABRT", "main", "faults.cc", "// the beginning"},
	}
	eachWay(t, func(t *testing.T, w way) {
		for _, f := range turns(w, cases...) {
			if f.program == "" || f.name == "message" && w.entry == "cgo" {
				// Go on a stack of its own: C's calls are not found
				continue
			}
			_, stderr, code := w.start(t, 2, f.program, f.how)
			require.Equal(t, f.code, code, "%s: %s", f.name, stderr)
			require.Regexp(t, `(?m)^rank 1 \(pid \d+\) has got `+f.cause+`( \(in this call, .*\))?:$`, stderr, f.name)
			require.Equal(t, 1, strings.Count(stderr, " has got "), "%s: %s", f.name, stderr)
			place := fmt.Sprintf("%s at %s:%d (", f.function, f.source, lineOf(t, f.source, f.mark))
			require.Regexp(t, `(?m)^  #\d+ +`+regexp.QuoteMeta(place), stderr, f.name)
		}
	})
}

// A rank that has got a fatal signal in its wait does not wait any more: the report of the ranks says so, and names no
// deadlock.
func TestFaultWhileRanksWait(t *testing.T) {
	t.Parallel() // it waits
	program := build(t, "hang.c")
	reporter := filepath.Join(t.TempDir(), "reporter")
	require.NoError(t, os.WriteFile(reporter, []byte("#!/bin/sh\nexec sleep 1000 >/dev/null 2>&1\n"), 0o755))
	eachModel(t, func(t *testing.T, w way) {
		cmd := exec.Command(tool("mpiexec"), "-n", "4", "--btl", w.btl, "--deadlock=off", "-x",
			"PVAS_BACKTRACE="+reporter, program)
		cmd.Env = append(cmd.Environ(), "PVAS_ENTRY="+w.entry)
		var stdout, stderr testkit.Output
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		require.Eventually(t, func() bool { return strings.Count(stdout.String(), "up\n") == 4 }, time.Minute,
			time.Millisecond)
		ask := func(line string) (found []string) {
			said := regexp.MustCompile(line)
			require.Eventually(t, func() bool {
				require.NoError(t, cmd.Process.Signal(syscall.SIGQUIT))
				reports := strings.Split(stderr.String(), "what the ranks do:\n")
				found = said.FindStringSubmatch(reports[len(reports)-1])
				return found != nil
			}, time.Minute, 50*time.Millisecond, "%s", &stderr)
			return found
		}
		pid, err := strconv.Atoi(ask(`(?m)^  2 +(\d+) +in MPI_Probe(?s:.*)deadlock: `)[1])
		require.NoError(t, err)
		require.NoError(t, syscall.Kill(pid, syscall.SIGSEGV))
		ask(`(?m)^  2 +\d+ +has got a fatal signal, and reports it$`)
		reports := strings.Split(stderr.String(), "what the ranks do:\n")
		require.NotContains(t, reports[len(reports)-1], "deadlock")
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		_ = cmd.Wait() // the report tells
	})
}

// In one address space a bad buffer may fault in the rank that reads it: the report says whose it may be.
func TestFaultsInBuffersOfPeers(t *testing.T) {
	program := build(t, "faults.c", "-g", "-pthread")
	eachModel(t, func(t *testing.T, w way) {
		_, stderr, code := w.start(t, 2, program, "buffer")
		require.Equal(t, 139, code, stderr)
		whose := ""
		if w.btl == "pvas" {
			whose = ` \(in this call, the buffer of this rank or of a peer, .*\)`
		}
		require.Regexp(t, `(?m)^rank [01] \(pid \d+\) has got SIGSEGV at address 0x[0-9a-f]+`+whose+`:$`, stderr)
		if w.btl == "pvas" {
			_, stderr, code = w.start(t, 2, program, "peer")
			require.Equal(t, 139, code, stderr)
			require.Regexp(t,
				`(?m)^rank 1 \(pid \d+\) has got SIGSEGV at address 0x[0-9a-f]+ in the memory of rank 0:$`, stderr)
		}
	})
}

// A report that does not end is cut off: the rank writes files and offsets, and dies of its signal.
func TestFaultsWithoutEnd(t *testing.T) {
	t.Parallel() // it waits
	program := build(t, "faults.c", "-g", "-pthread")
	reporter := filepath.Join(t.TempDir(), "reporter")
	require.NoError(t, os.WriteFile(reporter, []byte("#!/bin/sh\nexec sleep 1000 >/dev/null 2>&1\n"), 0o755))
	_, stderr, code := run(t, []string{"PVAS_BACKTRACE=" + reporter}, "sh", "-c", `"$0" own; exit $?`, program)
	require.Equal(t, 139, code, stderr)
	require.Regexp(t, `(?m)^rank 0 \(pid \d+\) has got SIGSEGV at address 0x10:$`, stderr)
	require.Regexp(t, `(?m)^.*/faults-c\+0x[0-9a-f]+$`, stderr)
	reader, full, err := os.Pipe()
	require.NoError(t, err)
	defer reader.Close() // nobody reads
	require.NoError(t, full.SetWriteDeadline(time.Now().Add(time.Millisecond)))
	for err == nil {
		_, err = full.Write(make([]byte, 1<<12))
	}
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	cmd := exec.Command(program, "own")
	cmd.Env, cmd.Stderr = append(os.Environ(), "PVAS_BACKTRACE="), full
	require.Error(t, cmd.Run())
	require.Equal(t, syscall.SIGSEGV, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
	require.NoError(t, full.Close())
}

// Ranks of a script have an auditing library, beside which the program that names places starts, and are not the
// program that pvasrun has started.
func TestFaultsOfAScript(t *testing.T) {
	program := build(t, "faults.c", "-g", "-pthread")
	_, stderr, code := run(t, nil, tool("mpiexec"), "-n", "1", "--btl", "sm", "sh", "-c",
		`test -n "$LD_AUDIT" && "$0" own; exit $?`, program)
	require.Equal(t, 139, code, stderr)
	require.Regexp(t, `(?m)^rank 0 \(pid \d+\) has got SIGSEGV at address 0x10:\n  #0  \w+ at faults.c:`, stderr)
}

// Without the program that names places, a rank reports files and offsets by itself. A rank alone has none.
func TestFaultsWithoutNames(t *testing.T) {
	program := build(t, "faults.c", "-g", "-pthread")
	for _, reporter := range []string{"", "/nowhere", "/bin/false"} {
		_, stderr, code := run(t, []string{"PVAS_BACKTRACE=" + reporter}, "sh", "-c", `"$0" own; exit $?`, program)
		require.Equal(t, 139, code, stderr)
		require.Regexp(t, `(?m)^rank 0 \(pid \d+\) has got SIGSEGV at address 0x10:$`, stderr)
		require.Regexp(t, `(?m)^.*/faults-c\+0x[0-9a-f]+$`, stderr)
	}
}
