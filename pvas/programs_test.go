package pvas

import (
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
)

// programs is where TestMain has put the compiled test programs.
var programs string

func TestMain(m *testing.M) {
	if ran, code := impersonate(); ran {
		os.Exit(code)
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pvas-test")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	programs = dir
	out, err := exec.Command("go", "build", "-buildmode=pie", "-o", filepath.Join(dir, "prog"),
		"./testdata/prog").CombinedOutput()
	if err != nil {
		fmt.Printf("build the test program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

func goProgram() string { return filepath.Join(programs, "prog") }

// cProgram compiles a program of testdata/c. Without a C compiler the test is
// skipped, except on CI, where the compiler is part of the set-up.
func cProgram(t *testing.T, source string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		require.Empty(t, os.Getenv("CI"), "CI must have gcc")
		t.Skip("gcc is not installed")
	}
	out := filepath.Join(t.TempDir(), strings.TrimSuffix(source, ".c"))
	args := append([]string{"-O1", "-o", out, filepath.Join("testdata/c", source), "-pthread"}, flags...)
	msg, err := exec.Command("gcc", args...).CombinedOutput()
	require.NoError(t, err, "%s", msg)
	return out
}

func newSpace(t testing.TB, tasks int) *Space {
	t.Helper()
	if err := Supported(); err != nil {
		require.Empty(t, os.Getenv("CI"), "CI must support one address space: %v", err)
		t.Skip(err)
	}
	s, err := Create(Config{Tasks: tasks})
	require.NoError(t, err)
	t.Cleanup(func() { endAll(t, s) })
	return s
}

// endAll leaves no task behind, whatever the test did.
func endAll(t testing.TB, s *Space) {
	s.mu.Lock()
	tasks := make([]*Task, 0, len(s.running))
	for _, task := range s.running {
		tasks = append(tasks, task)
	}
	s.mu.Unlock()
	for _, task := range tasks {
		_ = task.Signal(syscall.SIGKILL)
		if !task.sibling {
			_, _ = task.Wait()
		}
	}
	require.NoError(t, s.Destroy())
}

// output runs a program to its end in one partition and returns what it wrote.
func output(t *testing.T, s *Space, partition int, spec TaskSpec) (string, syscall.WaitStatus) {
	t.Helper()
	wait := collectOutput(t, s, partition, spec)
	return wait()
}

// collectOutput starts a program; the function it returns waits for its end.
func collectOutput(t *testing.T, s *Space, partition int, spec TaskSpec) func() (string, syscall.WaitStatus) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	spec.Partition, spec.Stdout, spec.Stderr = partition, w, w
	if spec.Args == nil {
		spec.Args = []string{spec.Path}
	}
	task, err := s.Spawn(spec)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return func() (string, syscall.WaitStatus) {
		t.Helper()
		var buf bytes.Buffer
		_, err := io.Copy(&buf, r)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		status, err := task.Wait()
		require.NoError(t, err)
		return buf.String(), status
	}
}
