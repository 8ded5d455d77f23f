package programs

import (
	"debug/buildinfo"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

func TestRing(t *testing.T) {
	program := build(t, "ring.c")
	for i, w := range allWays {
		inWays(t, func(t *testing.T, w way) {
			for _, n := range testkit.Turn(i, 1, 2, 5) {
				out := w.ends(t, n, program)
				for r := range n {
					require.Contains(t, out, fmt.Sprintf("rank %d of %d\n", r, n))
				}
			}
		}, w)
	}
}

// A program without pvasrun is a job of one rank.
func TestAlone(t *testing.T) {
	program := build(t, "ring.c")
	for _, entry := range []string{"coroutine", "cgo"} {
		out, stderr, code := run(t, []string{"PVAS_ENTRY=" + entry}, program)
		require.Equal(t, 0, code, stderr)
		require.Equal(t, "rank 0 of 1\n", out)
	}
}

// A rank that dies is reported as it has died, not by a trace of Go.
func TestDeaths(t *testing.T) {
	program := build(t, "deaths.c")
	eachWay(t, func(t *testing.T, w way) {
		cases := map[string]struct {
			code int
			said string
		}{
			"early":         {139, "was killed by signal 11 (segmentation fault, SIGSEGV)"},
			"segv":          {139, "rank 2 "},
			"fpe":           {136, "was killed by signal 8 "},
			"pipe":          {141, "was killed by signal 13 "},
			"assert":        {134, "was killed by signal 6 "},
			"MPI_Abort":     {5, "rank 2: MPI_Abort on MPI_COMM_WORLD: ends the job with error code 5"},
			"MPI_Abort -1":  {255, "ends the job with error code -1, exit code 255\n"},
			"MPI_Abort 0":   {0, "exited with code 0 by Abort, in C MPI_Abort; ending the other 2 ranks"},
			"MPI_Abort 256": {1, "ends the job with error code 256, exit code 1\n"},
			"MPI_Abort 258": {2, "ends the job with error code 258, exit code 2\n"},
			"locked":        {8, "ends the job with error code 8"},
			"null":          {1, "rank 2: MPI_Waitall: argument 2 is a null pointer"},
			"before":        {1, ": MPI_Barrier: called before MPI_Init"},
			"exit":          {6, "rank 2 "},
			"_exit":         {7, "rank 2 "},
			"exit 0": {1,
				"exited with code 0 after Init and without Finalize, in C MPI_Finalize or MPI_Session_finalize: " +
					"others may wait for it; " +
					"ending the other 2 ranks"},
			"scatter": {1, "rank 2: MPI_Scatter on MPI_COMM_WORLD: "},
			"late":    {1, "rank 2: MPI_Barrier: called after MPI_Finalize"},
			"library": {139, "was killed by signal 11 (segmentation fault, SIGSEGV)"},
		}
		for _, how := range turns(w, slices.Sorted(maps.Keys(cases))...) {
			want := cases[how]
			stdout, stderr, code := w.start(t, 3, program, how)
			require.Equal(t, want.code, code, "%s: %s", how, stderr)
			require.Contains(t, stderr, want.said, how)
			if how == "null" || strings.HasPrefix(how, "MPI_Abort") { // MPI ends it
				require.Contains(t, stdout, "printed before "+how+"\n")
			}
			require.NotContains(t, stderr, "goroutine", how)
			require.NotContains(t, stderr, "has gone", "%s: only the cause is told", how)
			require.NotContains(t, stderr, "rank 2 has passed wrong arguments", how)
		}
	})
}

// What a program in Fortran has printed before it aborts is not lost, either.
func TestAbortInFortran(t *testing.T) {
	needs(t, "gfortran")
	program := build(t, "abort.f90")
	eachModel(t, func(t *testing.T, w way) {
		stdout, stderr, code := w.start(t, 2, program)
		require.Equal(t, 4, code, stderr)
		require.Equal(t, " printed by rank           1\n", stdout)
	})
}

func TestChildren(t *testing.T) {
	eachWayEnds(t, 3, "children.c")
}

func TestSignals(t *testing.T) {
	eachWayEnds(t, 2, "signals.c")
}

// As Python does it: the library is not linked, and a module that links it comes later.
func TestLoadedAtRunTime(t *testing.T) {
	module := build(t, "module.c", "-shared", "-fPIC")
	program := build(t, "loaded.c", "-ldl")
	library := filepath.Join(installed, "lib", "libmpi.so")
	eachWay(t, func(t *testing.T, w way) { w.ends(t, 3, program, library, module) })
}

// So may one in Fortran.
func TestFortranLoadedAtRunTime(t *testing.T) {
	needs(t, "gfortran")
	module := build(t, "late.f90", "-shared", "-fPIC")
	program := build(t, "loaded.c", "-ldl")
	library := filepath.Join(installed, "lib", "libmpi.so")
	eachWay(t, func(t *testing.T, w way) { w.ends(t, 3, program, library, module) })
}

func TestExceptions(t *testing.T) {
	eachWayEnds(t, 2, "exceptions.cc")
}

func TestUpcalls(t *testing.T) {
	eachWayEnds(t, 3, "upcalls.c")
}

func TestThreads(t *testing.T) {
	program := build(t, "threads.c", "-pthread")
	eachWay(t, func(t *testing.T, w way) {
		for _, how := range []string{"multiple", "serialized", "funneled", "other"} {
			w.ends(t, 2, program, how)
		}
	})
}

// Threads call MPI that MPI_Init has promised nothing, as some of Debian's programs do: they run, with callbacks, also
// while the thread of main is in a call, and MPI ends in another thread.
func TestSecondThread(t *testing.T) {
	program := build(t, "threads.c", "-pthread")
	eachWay(t, func(t *testing.T, w way) {
		for _, how := range []string{"one at a time", "at once", "in a call", "main ends"} {
			_, stderr, code := w.start(t, 2, program, "second "+how)
			require.Equal(t, 0, code, "%s: %s", how, stderr) // one that waits for long for main's call says so
		}
		_, stderr, code := run(t, []string{"PVAS_ENTRY=" + w.entry}, tool("mpiexec"), "-n", "2", "--btl", w.btl,
			"--check", program, "second one at a time")
		require.Equal(t, 0, code, stderr)
		require.Contains(t, stderr, "a second thread calls MPI, which was initialised for one thread: "+
			"call MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE\n")
	})
	// In place of a hang: main waits for the other thread, which waits for the end of main's call.
	_, stderr, code := way{btl: "sm", entry: "coroutine"}.start(t, 2, program, "second waits")
	require.Equal(t, 125, code, stderr)
	require.Contains(t, stderr, "in MPI_Recv ")
}

// Threads of OpenMP compute in ranks. Either the first calls MPI, or all do.
func TestOpenMP(t *testing.T) {
	program := build(t, "openmp.c", "-fopenmp")
	if _, set := os.LookupEnv("OMP_NUM_THREADS"); !set {
		out, stderr, code := run(t, nil, tool("mpiexec"), "-n", "2", "--cpus-per-rank", "2", program)
		require.Equal(t, 0, code, "%s%s", out, stderr)
	}
	t.Setenv("OMP_NUM_THREADS", "2")
	eachWay(t, func(t *testing.T, w way) {
		w.ends(t, 2, program)
		w.ends(t, 2, program, "multiple")
	})
}

func TestGarbage(t *testing.T) {
	eachWayEnds(t, 2, "garbage.c")
}

// The library is built with the profile that lies beside its sources.
func TestProfile(t *testing.T) {
	info, err := buildinfo.ReadFile(filepath.Join(installed, "lib", "libmpi_abi.so.1"))
	require.NoError(t, err)
	require.Contains(t, info.Settings, debug.BuildSetting{Key: "-pgo", Value: "default.pgo"})
}

// The library exports the functions of MPI, and the root block that it knows.
func TestExports(t *testing.T) {
	out, stderr, code := run(t, nil, "nm", "-D", "--defined-only", filepath.Join(installed, "lib", "libmpi_abi.so.1"))
	require.Equal(t, 0, code, stderr)
	functions := 0
	for line := range strings.Lines(out) {
		name := strings.ToLower(strings.Fields(line)[2])
		if name == "gopvas_root_block" {
			continue
		}
		require.Regexp(t, "^p?mpix?_", name)
		functions++
	}
	require.GreaterOrEqual(t, functions, 2*664)
}

func TestEnvironment(t *testing.T) {
	program := build(t, "before.c")
	eachWay(t, func(t *testing.T, w way) {
		step := map[string]string{"pvas": "16777216 33554432", "sm": "- -"}[w.btl]
		require.ElementsMatch(t, []string{"1 0 " + step, "1 1 " + step, "1 2 " + step},
			strings.Split(strings.TrimSpace(w.ends(t, 3, program)), "\n"))
		out, _, code := run(t, []string{"MALLOC_ARENA_MAX=5", "MALLOC_TOP_PAD_=7", "PMI_RANK=99", "PMI_SIZE=99"},
			tool("mpiexec"), "-n", "1", "--btl", w.btl, program)
		require.Equal(t, 0, code)
		require.Equal(t, "5 0 7 -\n", out, "what the user has set counts, what another launcher has set does not")
	})
}

// Programs begin with the error handler that the command line names.
func TestFirstErrorHandler(t *testing.T) {
	program := build(t, "first_handler.c")
	for i, name := range []string{"mpi_errors_return", "mpi_errors_abort", "mpi_errors_are_fatal"} {
		for _, btl := range testkit.Turn(i, "pvas", "sm") {
			_, stderr, code := run(t, nil, tool("mpiexec"), "--initial-errhandler", name, "-n", "2", "--btl", btl,
				program, name)
			require.Zero(t, code, "%s: %s", name, stderr)
		}
	}
	way{btl: "sm"}.ends(t, 1, program, "mpi_errors_are_fatal")
}

// The runtime's monitor seldom wakes; the timers of the program's own thread are as exact as before.
func TestMonitor(t *testing.T) {
	program := build(t, "monitor.c")
	eachWay(t, func(t *testing.T, w way) {
		most := "4000000"
		if os.Geteuid() != 0 {
			most = "50000" // of its own thread, the only one that it may read
		}
		require.Contains(t, w.ends(t, 2, program), "own 50000, most "+most+"\n")
	})
}
