package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// root is the root of the repository.
const root = "../../../.."

func TestGeneratedFilesAreFresh(t *testing.T) {
	files, err := generate(root)
	require.NoError(t, err)
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		if !bytes.Equal(want, got) {
			t.Errorf("%s is stale; run: go generate ./internal/capi/...", name)
		}
	}
}

// compile runs a compiler on a program in C that is given as text.
func compile(t *testing.T, compiler, name, text string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	source, object := filepath.Join(dir, name), filepath.Join(dir, "a.o")
	require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
	args := append(flags, "-Wall", "-Wextra", "-Werror", "-I"+filepath.Join(root, "cmd/libmpi/gen"), "-I"+dir,
		"-c", source, "-o", object)
	out, err := exec.Command(compiler, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return object
}

// use is a program that looks at every kind of declaration of mpi.h.
const use = `#include <mpi.h>
#if MPI_VERSION != 5 || MPI_SUBVERSION != 0
#error version
#endif
static void add(void *a, void *b, int *n, MPI_Datatype *t) { (void)a; (void)b; (void)n; (void)t; }
int f(void);
int f(void)
{
    MPI_Status s;
    MPI_Op op;
    int v[MPI_MAX_ERROR_STRING > 0 ? 1 : -1];
    MPI_Op_create(add, 1, &op);
    MPI_Send(v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    switch (s.MPI_ERROR) {
    case MPI_SUCCESS: case MPI_ERR_TYPE: return 0;
    }
    MPI_Waitall(0, (MPI_Request *)0, MPI_STATUSES_IGNORE);
    return MPI_Comm_set_attr(MPI_COMM_SELF, MPI_TAG_UB, v) + PMPI_Init((int *)0, (char ***)0);
}
`

func TestHeaderIsC89AndCxx98(t *testing.T) {
	compile(t, "gcc", "use.c", use, "-std=c89", "-pedantic")
	compile(t, "gcc", "use.c", use, "-std=c11", "-pedantic")
	compile(t, "g++", "use.cc", strings.Replace(use, "int f(void);", "", 1), "-std=c++98", "-pedantic")
	compile(t, "g++", "use.cc", use, "-std=c++17", "-pedantic")
}

func TestStubsHaveEveryName(t *testing.T) {
	files, err := generate(root)
	require.NoError(t, err)
	out, err := exec.Command("nm", compile(t, "gcc", "stubs.c", string(files["cmd/libmpi/gen/stubs.c"]))).Output()
	require.NoError(t, err)
	symbols := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) == 3 {
			symbols[fields[2]] = fields[1]
		}
	}
	table, err := load(root)
	require.NoError(t, err)
	require.Len(t, table.standard(), 664)
	for _, f := range table.functions {
		require.Equal(t, "T", symbols["P"+api.CName(f.Name)], f.Name)
		require.Equal(t, "W", symbols[api.CName(f.Name)], f.Name)
		if f.Proposed() {
			require.Equal(t, "WW", symbols["MPIX_"+f.Name]+symbols["PMPIX_"+f.Name], f.Name)
		}
	}
}

func TestHandleConstantsFollowTheirCode(t *testing.T) {
	table, err := load(root)
	require.NoError(t, err)
	for _, g := range table.face.Constants {
		if g.Title != "Datatype" {
			continue
		}
		require.Greater(t, len(g.Constants), 70)
		for _, c := range g.Constants {
			require.True(t, c.Value >= 0x200 && c.Value < 0x300, c.Name)
		}
	}
}

func TestWrongMethodsAreRefused(t *testing.T) {
	table, err := load(root)
	require.NoError(t, err)
	for name, m := range map[string]method{
		"a parameter too few": {name: "Initialized", results: []string{"error"}},
		"another parameter":   {name: "Initialized", params: []string{"int"}, results: []string{"error"}},
		"no error":            {name: "Initialized", params: []string{"Ref"}},
		"a collective":        {name: "Barrier", params: []string{"*collective", "int"}, results: []string{"error"}},
	} {
		table.methods = m.functions()
		_, err := dispatch(table)
		require.ErrorContains(t, err, m.name, name)
	}
}

// TestChangesAreCompiled: the go command knows of all generated files that the library is compiled from.
func TestChangesAreCompiled(t *testing.T) {
	list := exec.Command("go", "list", "-f", `{{join .EmbedFiles "\n"}}`, "./cmd/libmpi")
	list.Dir = root
	list.Env = append(list.Environ(), "CGO_ENABLED=1")
	out, err := list.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for name := range outputs {
		if file, ok := strings.CutPrefix(name, "cmd/libmpi/"); ok && !strings.Contains(file, "mpif.h") &&
			filepath.Ext(file) != ".f90" {
			require.Contains(t, strings.Fields(string(out)), file)
		}
	}
}
