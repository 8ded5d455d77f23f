package examples_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/pvas"
)

// The Example functions of package mpi run as processes in its own tests. Here pvasrun runs them in
// one address space, all in a job for their output, or each in one if Long, and all of them with any number of ranks.
func TestExamplesOfMPI(t *testing.T) {
	program := filepath.Join(t.TempDir(), "mpi.test")
	out, err := exec.Command("go", "test", "-c", "-buildmode=pie", "-o", program, "../mpi").CombinedOutput()
	require.NoError(t, err, "%s", out)
	job := func(args ...string) string {
		args = append(append([]string{"--timeout", "60"}, args...), program)
		out, err := exec.Command(pvasrun, args...).CombinedOutput()
		require.NoError(t, err, "%q: %s", args, out)
		return string(out)
	}
	t.Run("any ranks", func(t *testing.T) {
		for _, n := range testkit.Some("3", "1", "2", "5") {
			for _, btl := range testkit.Some("sm", "auto") {
				require.NotEmpty(t, job("--btl", btl, "-n", n, "-x", "JOBTEST_PROGRAM=examples"))
			}
		}
	})
	if pvas.Supported() != nil {
		return // TestMain and everywhere see to it that CI supports it
	}
	var all strings.Builder
	for _, e := range examplesOfMPI(t) {
		if e.Name == "WinCreate" { // which has no output elsewhere
			e.Output = "rank 0 reads: hello from the heap of rank 1\nrank 1 reads: hello from the heap of rank 2\n" +
				"rank 2 reads: hello from the heap of rank 3\nrank 3 reads: hello from the heap of rank 0\n"
		}
		if e.Name == "Comm_Spawn" {
			e.Output = "" // here there are workers
		}
		all.WriteString(e.Output)
		if testkit.Long() || e.Name == "Executable" { // which counts steps, in a job of all also those of others
			got := job("--btl", "pvas", "-n", "4", "-x", "JOBTEST_PROGRAM=Example"+e.Name)
			require.Equal(t, sorted(e.Output), sorted(got), e.Name)
		}
	}
	steps := regexp.MustCompile(`\d+ steps`)
	got := job("--btl", "pvas", "-n", "4", "-x", "JOBTEST_PROGRAM=examples")
	want := sorted(steps.ReplaceAllString(all.String(), "steps"))
	require.Equal(t, want, sorted(steps.ReplaceAllString(got, "steps")))
}

// examplesOfMPI returns the Example functions.
func examplesOfMPI(t *testing.T) []*doc.Example {
	paths, err := filepath.Glob("../mpi/example_*_test.go")
	require.NoError(t, err)
	var sources []*ast.File
	files := token.NewFileSet()
	for _, path := range paths {
		f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		require.NoError(t, err)
		sources = append(sources, f)
	}
	found := doc.Examples(sources...)
	require.Greater(t, len(found), 50, "the examples were not found")
	return found
}
