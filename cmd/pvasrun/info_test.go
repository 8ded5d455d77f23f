package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/linkage"
)

func TestInfo(t *testing.T) {
	got := command(t, nil, "info")
	require.Equal(t, 0, got.code, got.stderr)
	for _, word := range []string{"one address space", "vm.max_map_count", "CMA", "huge"} {
		require.Contains(t, got.stdout, word)
	}
	got = command(t, nil, "info", "--json")
	var info map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &info))
	require.NotEmpty(t, info)
}

// What info says of a program, and what a job of it says, where no library serves programs of Open MPI.
func TestInfoOfAProgram(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		require.Empty(t, os.Getenv("CI"), "CI must have gcc")
		t.Skip("gcc is not installed")
	}
	dir := t.TempDir()
	library, program := filepath.Join(dir, "libmpi.so.40"), filepath.Join(dir, "theirs")
	abi, standard := filepath.Join(dir, "libmpi_abi.so.1"), filepath.Join(dir, "standard")
	require.NoError(t, os.WriteFile(program+".c", []byte("int main(void) { return 0; }\n"), 0o600))
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-Dmain=other", "-Wl,-soname,libmpi.so.40", program + ".c", "-o", library},
		{"-fPIE", "-no-pie", program + ".c", "-Wl,--no-as-needed", library, "-Wl,-rpath," + dir, "-o", program},
		{"-shared", "-fPIC", "-Dmain=other", "-Wl,-soname,libmpi_abi.so.1", program + ".c", "-o", abi},
		{"-fPIE", "-pie", program + ".c", "-Wl,--no-as-needed", abi, "-Wl,-rpath," + dir, "-o", standard},
	} {
		out, err := exec.Command("gcc", args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	bare := env("PATH=/usr/bin:/bin", "XDG_DATA_HOME="+dir)
	got := command(t, bare, "info", program)
	require.Equal(t, 0, got.code, got.stderr)
	for _, text := range []string{"Open MPI (libmpi.so.40, for theirs)\n", library + "\n", "not position independent",
		"pvasrun install-mpi installs"} {
		require.Contains(t, got.stdout, text)
	}
	got = command(t, bare, "info", standard)
	require.Contains(t, got.stdout, "the standard ABI of MPI 5.0 (libmpi_abi.so.1, for standard)\n", got.stderr)
	require.Regexp(t, `Served by +`+abi+`\nOne address space +yes\n$`, got.stdout)
	got = command(t, bare, "info", "--json", program)
	var info struct{ MPI, Library, Problem string }
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &info))
	require.Equal(t, library, info.Library)
	require.NotEmpty(t, info.Problem)

	got = command(t, bare, "-n", "2", "--btl", "sm", program)
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, "pvasrun: theirs is linked with Open MPI (libmpi.so.40), and each of its ranks is alone: "+
		"pvasrun install-mpi installs the library that makes them one job; from a DIR of its own DIR/bin/mpiexec "+
		"starts them\n", got.stderr)
	require.Empty(t, command(t, bare, "-n", "1", "--btl", "sm", program).stderr)
	shell := func(text string) string { return command(t, bare, "-n", "2", "sh", "-c", text).stderr }
	require.Contains(t, shell("true && "+program), "pvasrun: sh starts theirs, which is linked with Open MPI")
	ours := filepath.Join(dir, "gopvas", "mpi", "lib")
	require.NoError(t, os.MkdirAll(ours, 0o755))
	for _, name := range []string{"libmpi.so.40", "libmpi_abi.so.1"} {
		require.NoError(t, os.Link(library, filepath.Join(ours, name)))
	}
	finder := filepath.Join(ours, linkage.Finder)
	require.NoError(t, os.MkdirAll(filepath.Dir(finder), 0o755))
	out, err := exec.Command("gcc", append(linkage.FinderFlags(), "../libmpi/finder/finder.c", "-o", finder)...).
		CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, shell(program), "it loads what would be ours")
	require.Empty(t, shell("LD_LIBRARY_PATH=/nothing "+program))
	require.Contains(t, shell("export LD_AUDIT=; "+program),
		"pvasrun: sh starts theirs, which would load "+library+", by the variables that it is started with")
	require.NoError(t, os.RemoveAll(filepath.Dir(ours)))
	require.Equal(t, 2, command(t, bare, "info", filepath.Join(dir, "nothing")).code)
	require.Contains(t, command(t, bare, "info", "/dev/null").stderr, "info: /dev/null is no regular file: name a pro")
	require.NotContains(t, command(t, bare, "info", "/dev/null").stderr, "chmod")
	notProgram := filepath.Join(dir, "text")
	require.NoError(t, os.WriteFile(notProgram, []byte("text\n"), 0o755))
	got = command(t, bare, "info", notProgram)
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr,
		"it is neither a binary nor a script, which begins with a line such as #!/bin/sh: name a program")
	require.Equal(t, 2, command(t, bare, "info", program, program).code)
}
