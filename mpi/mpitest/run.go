package mpitest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/mpi"
)

// Main runs the tests, and does not return. TestMain of a package that calls Run must call it.
func Main(m *testing.M) {
	launcher.HostMain()
	prepared = true
	os.Exit(m.Run())
}

// prepared is set by Main.
var prepared bool

// inside says that this process is a rank, in the function of Run; been, that it is or was.
var inside, been atomic.Bool

const (
	envCall = "MPITEST_CALL" // in a rank: the call of Run that it is for, see call
	envDone = "MPITEST_DONE" // in a rank: the folder where it says that it has begun it, and has done it
)

// Timeout is how long a job may take in one task model. Change it before the tests run, in TestMain.
var Timeout = time.Minute

// Run calls f in each of n ranks, see the documentation of the package. It blocks until all have ended, for Timeout, or
// half of the time that is left for the tests (-timeout). Then it fails, and tells what each rank waits for.
// Failures, and with -v all output, come with the number of the rank. f has a test of its own in each rank, which is
// named after it.
// The communicator is that of all ranks; Run finalizes it. Tests may run in parallel.
func Run(t *testing.T, n int, f func(t *testing.T, world *mpi.Comm)) {
	t.Helper()
	run(t, n, 0, f)
}

// RunDelayed is Run so many times, in subtests named seed=1, seed=2 and so on: it finds what depends on the order in
// which ranks come. Each rank waits before about half of its calls on communicators, requests and windows, up to 2 ms.
// The seed and the number of the rank say how long, so go test -run 'TestRing/seed=7$' repeats the delays of a run that
// has failed. It cannot repeat what the system does besides.
func RunDelayed(t *testing.T, n, seeds int, f func(t *testing.T, world *mpi.Comm)) {
	t.Helper()
	if seeds < 1 {
		t.Fatalf("mpitest: run delayed: %d seeds: at least one is needed", seeds)
	}
	for seed := 1; seed <= seeds; seed++ {
		passed := t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { run(t, n, uint64(seed), f) })
		switch {
		case been.Load() && passed:
			t.SkipNow() // what stands behind is not for ranks
		case been.Load():
			t.FailNow()
		}
	}
}

// run is Run with the delays of a seed; 0: none.
func run(t *testing.T, n int, seed uint64, f func(t *testing.T, world *mpi.Comm)) {
	t.Helper()
	switch {
	case f == nil:
		t.Fatal("mpitest: run: the function is nil")
	case inside.Load():
		t.Fatal("mpitest: run: a rank has called it: the function calls no Run")
	}
	own := call(t)
	switch os.Getenv(envCall) {
	case "":
	case own:
		beRank(t, seed, f)
	default:
		return // of another call
	}
	if !prepared {
		t.Fatal("mpitest: TestMain of this package must call mpitest.Main")
	}
	t.Run("pvas", func(t *testing.T) { start(t, "auto", n, own) })
	t.Run("sm", func(t *testing.T) { start(t, "sm", n, own) })
}

var calls struct {
	sync.Mutex
	of map[string]int // by test
}

// call names a call of Run, by its test and its number there: the same in the process of go test and in ranks.
func call(t *testing.T) string {
	calls.Lock()
	defer calls.Unlock()
	if calls.of == nil {
		calls.of = map[string]int{}
	}
	if calls.of[t.Name()]++; calls.of[t.Name()] == 1 {
		t.Cleanup(func() { // it may run again: -count
			calls.Lock()
			defer calls.Unlock()
			delete(calls.of, t.Name())
		})
	}
	return fmt.Sprintf("%s#%d", t.Name(), calls.of[t.Name()])
}

// beRank calls f as a rank, and ends the test: what stands behind Run is not for ranks.
func beRank(t *testing.T, seed uint64, f func(t *testing.T, world *mpi.Comm)) {
	t.Helper()
	been.Store(true)
	world, err := mpi.Init()
	if err != nil {
		t.Fatal(err)
	}
	if seed != 0 {
		comm.Delay((*comm.Comm)(world), seed)
	}
	rank := world.Rank()
	note(t, begun, rank)
	inside.Store(true)
	// The outer one ends when f has, which may call Parallel.
	if !t.Run("rank", func(t *testing.T) {
		t.Run(fmt.Sprint(rank), func(t *testing.T) { f(t, world) })
	}) {
		t.FailNow() // without Finalize: others may wait for this rank
	}
	inside.Store(false)
	if err := world.Finalize(); err != nil {
		t.Fatal(err)
	}
	note(t, done, rank)
	t.SkipNow()
}

// begun and done are how far a rank has come, as the name of a file.
const (
	begun = "begun %d"
	done  = "done %d"
)

func note(t *testing.T, what string, rank int) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(os.Getenv(envDone), fmt.Sprintf(what, rank)), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// told tells whether a rank has noted something in a folder.
func told(dir, what string, rank int) bool {
	_, err := os.Stat(filepath.Join(dir, fmt.Sprintf(what, rank)))
	return err == nil
}

// start runs a job for a call of Run. It skips one that was to be in one address space and cannot.
func start(t *testing.T, btl string, n int, own string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	test := own[:strings.LastIndexByte(own, '#')]
	args := []string{"-test.run=" + pattern(test), "-test.timeout=0", "-test.count=1"}
	if testing.Verbose() {
		args = append(args, "-test.v")
	}
	dir, output := t.TempDir(), t.TempDir()
	var said bytes.Buffer
	job := launcher.Job{BTL: btl, Stdout: &said, Stderr: &said, Timeout: timeout(t), Apps: []launcher.App{{
		Program: program, Args: args, N: n, Env: []string{envCall + "=" + own, envDone + "=" + dir}}}}
	if plan, err := launcher.DryRun(t.Context(), job); err == nil && plan.Reason != "" { // an error: Run has it, too
		t.Skipf("%s (go test -buildmode=pie)", plan.Reason)
	}
	job.Output.Files[0], job.Output.Merge = outputTo(output), true
	result, err := launcher.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if text := outputs(output, n) + said.String(); text != "" && (result.Code != 0 || testing.Verbose()) {
		t.Log("\n" + text)
	}
	if result.Code != 0 {
		t.Fatalf("exit code %d", result.Code)
	}
	var missing, ended []int
	for rank := range n {
		switch {
		case told(dir, done, rank):
		case told(dir, begun, rank):
			ended = append(ended, rank)
		default:
			missing = append(missing, rank)
		}
	}
	if ended != nil { // the others may have been ended with them
		t.Errorf("ranks %v have ended in this call of Run with code 0, by Comm.Abort or os.Exit", ended)
	} else if missing != nil {
		t.Errorf("ranks %v have not come to this call of Run: what stands before it must do the same in all ranks",
			missing)
	}
}

// pattern is the value of -test.run for one test.
func pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// timeout is how long a job may take.
func timeout(t *testing.T) time.Duration {
	if end, ok := t.Deadline(); ok {
		return min(Timeout, time.Until(end)/2)
	}
	return Timeout
}
