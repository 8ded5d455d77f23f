package programs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/pvas"
)

// The installation under test, and where the programs are built.
var (
	installed  string
	built      string
	goPrograms testkit.Programs
)

func TestMain(m *testing.M) {
	testkit.CountedMain()
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	testkit.TakeSignals()
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("CI") == "" {
		fmt.Println("SKIPPED: gcc is not installed")
		return 0
	}
	dir, err := os.MkdirTemp("", "programs-test")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	installed, built, goPrograms.Dir = filepath.Join(dir, "mpi"), dir, dir
	pvasrun := filepath.Join(dir, "pvasrun")
	for _, cmd := range [][]string{
		{"go", "build", "-buildmode=pie", "-o", pvasrun, "../../../cmd/pvasrun"},
		{pvasrun, "install-mpi", installed},
	} {
		c := exec.Command(cmd[0], cmd[1:]...)
		if cmd[0] == pvasrun { // which takes no network: its own build has left the modules here
			c.Env = append(os.Environ(), "GOPROXY=off")
		}
		if out, err := c.CombinedOutput(); err != nil {
			fmt.Printf("%v: %v\n%s", cmd, err, out)
			return 1
		}
	}
	return m.Run()
}

// tool is the path of a command of the installation.
func tool(name string) string { return filepath.Join(installed, "bin", name) }

// run executes a command and returns what it has printed.
func run(t *testing.T, env []string, command string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(command, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &errs, append(os.Environ(), env...)
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		require.NoError(t, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// builds are the programs that have been built, each once.
var builds sync.Map

// build compiles a file of testdata and returns the program.
func build(t *testing.T, source string, flags ...string) string {
	t.Helper()
	program := filepath.Join(built, strings.ReplaceAll(filepath.Base(source), ".", "-"))
	once, _ := builds.LoadOrStore(program, sync.OnceValue(func() string {
		compiler := map[string]string{".c": "mpicc", ".cc": "mpicxx", ".f": "mpif77",
			".f90": "mpifort"}[filepath.Ext(source)]
		args := append([]string{"-O1", "-Wall", filepath.Join("testdata", source), "-o", program}, flags...)
		if filepath.Ext(source) == ".f90" {
			args = append(args, "-J", built) // modules
		}
		if out, err := exec.Command(tool(compiler), args...).CombinedOutput(); err != nil {
			return fmt.Sprintf("%s %v: %v\n%s", compiler, args, err, out)
		}
		return ""
	}))
	require.Empty(t, once.(func() string)())
	return program
}

// compile compiles a file of testdata as a program.
func compile(t *testing.T, compiler, source, program string, flags ...string) {
	t.Helper()
	args := append([]string{"-O1", "-Wall", filepath.Join("testdata", source), "-o", program}, flags...)
	out, err := exec.Command(compiler, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// A way is how a job runs.
type way struct {
	btl, entry string
	rsh        string // the program by which it runs on two nodes, with one rank on the first; "": it runs on one
}

// start runs a program as ranks.
func (w way) start(t *testing.T, ranks int, program string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	all := append([]string{"-n", fmt.Sprint(ranks), "--btl", w.btl, "--timeout", "120", program}, args...)
	if w.rsh != "" {
		all = append([]string{"--hosts", fmt.Sprintf("a:1,b:%d", ranks-1), "--rsh", w.rsh}, all[2:]...)
	}
	return run(t, []string{"PVAS_ENTRY=" + w.entry}, tool("mpiexec"), all...)
}

// ends runs a program that must succeed.
func (w way) ends(t *testing.T, ranks int, program string, args ...string) (stdout string) {
	t.Helper()
	stdout, stderr, code := w.start(t, ranks, program, args...)
	require.Equal(t, 0, code, "%s%s", stdout, stderr)
	require.Empty(t, stderr)
	return stdout
}

// turns returns the cases to try in a way of eachWay or eachModel: all if Long, else those whose turn it is.
func turns[T any](w way, all ...T) (cases []T) {
	for i, c := range all {
		if testkit.Long() || (i%2 == 1) == (w.btl == "sm") {
			cases = append(cases, c)
		}
	}
	return cases
}

// eachModel runs a test in both task models, by the coroutine.
func eachModel(t *testing.T, test func(t *testing.T, w way)) {
	inWays(t, test, way{btl: "pvas", entry: "coroutine"}, way{btl: "sm", entry: "coroutine"})
}

// eachWay runs a test in both task models: by the coroutine and by cgo if Long, else by the coroutine in pvas and by
// cgo in sm.
func eachWay(t *testing.T, test func(t *testing.T, w way)) {
	ways := allWays
	if !testkit.Long() {
		ways = []way{allWays[0], allWays[3]}
	}
	inWays(t, test, ways...)
}

// allWays are the task models with each entry. eachWay takes the first and the last of them unless Long.
var allWays = []way{{btl: "pvas", entry: "coroutine"}, {btl: "pvas", entry: "cgo"},
	{btl: "sm", entry: "coroutine"}, {btl: "sm", entry: "cgo"}}

// inWays runs a test in those of some ways that work here.
func inWays(t *testing.T, test func(t *testing.T, w way), ways ...way) {
	for _, w := range ways {
		if err := pvas.Supported(); w.btl == "pvas" && err != nil {
			require.Empty(t, os.Getenv("CI"), "CI must support one address space: %v", err)
			continue
		}
		t.Run(fmt.Sprintf("btl=%s/entry=%s", w.btl, w.entry), func(t *testing.T) { test(t, w) })
	}
}

// eachWayEnds runs a program, built with some flags, in each way. It ends well, and says nothing.
func eachWayEnds(t *testing.T, ranks int, source string, flags ...string) {
	program := build(t, source, flags...)
	eachWay(t, func(t *testing.T, w way) { w.ends(t, ranks, program) })
}
