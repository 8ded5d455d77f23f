package programs

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// openMPI is the library as programs see it that were built with Open MPI.
func openMPI() string { return filepath.Join(installed, "lib", "libmpi.so.40") }

// Programs import names, and some have copies of the objects, as large as they were where the programs were built.
func TestFaceHasTheNamesOfOpenMPI(t *testing.T) {
	f, err := elf.Open(openMPI())
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	symbols, err := f.DynamicSymbols()
	require.NoError(t, err)
	has := map[string]elf.Symbol{}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			has[s.Name] = s
		}
	}
	list, err := os.ReadFile("testdata/face.txt")
	require.NoError(t, err)
	functions, objects := 0, 0
	for line := range strings.Lines(string(list)) {
		if line[0] == '#' {
			continue
		}
		name, size, object := strings.Cut(strings.TrimSpace(line), " ")
		s, there := has[name]
		kind := elf.ST_TYPE(s.Info)
		switch {
		case !there:
			t.Errorf("%s is not there", name)
		case elf.ST_VISIBILITY(s.Other) != elf.STV_DEFAULT:
			t.Errorf("%s: references do not go to the copy in a program", name)
		case object:
			objects++
			want, err := strconv.Atoi(size)
			require.NoError(t, err)
			require.Equal(t, elf.STT_OBJECT, kind, name)
			require.EqualValues(t, want, s.Size, name)
			if strings.HasPrefix(name, "ompi_") { // a handle is its address
				require.Zero(t, s.Value%16, name)
			}
		default:
			functions++
			require.Equal(t, elf.STT_FUNC, kind, name)
		}
	}
	require.Greater(t, functions, 880)
	require.Greater(t, objects, 104)
	names, err := f.DynString(elf.DT_SONAME)
	require.NoError(t, err)
	require.Equal(t, []string{"libmpi.so.40"}, names)
	symbolic, err := f.DynValue(elf.DT_SYMBOLIC)
	require.NoError(t, err)
	require.Empty(t, symbolic)
}

// faceProgram compiles a program by the declarations of the face, and links it with that.
func faceProgram(t *testing.T, source string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	header, err := os.ReadFile("../../../cmd/libmpi/gen/openmpi.h")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mpi.h"), header, 0o600))
	program := filepath.Join(dir, "program")
	args := append([]string{"-O1", "-Wall", "-I" + dir, filepath.Join("testdata", source), "-o", program, openMPI()},
		flags...)
	out, err := exec.Command("gcc", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// faceProgramOf compiles a program with the compiler of Open MPI.
func faceProgramOf(t *testing.T, source string, flags ...string) string {
	t.Helper()
	compiler, err := exec.LookPath("mpicc.openmpi")
	if err != nil {
		t.Skip("mpicc.openmpi is not installed (Debian: libopenmpi-dev)")
	}
	program := filepath.Join(t.TempDir(), "program")
	args := append([]string{"-O1", "-Wall", filepath.Join("testdata", source), "-o", program}, flags...)
	out, err := exec.Command(compiler, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

func TestFaceOfOpenMPI(t *testing.T) {
	t.Setenv("LD_LIBRARY_PATH", filepath.Dir(openMPI()))
	for name, program := range map[string]func(t *testing.T) string{
		"copies":        func(t *testing.T) string { return faceProgram(t, "face.c") },
		"addresses":     func(t *testing.T) string { return faceProgram(t, "face.c", "-fPIC") },
		"mpicc.openmpi": func(t *testing.T) string { return faceProgramOf(t, "face.c") },
	} {
		t.Run(name, func(t *testing.T) {
			built := program(t)
			eachWay(t, func(t *testing.T, w way) {
				stdout, stderr, code := w.start(t, 3, built, filepath.Join(t.TempDir(), "file"))
				require.Equal(t, 0, code, "%s%s", stdout, stderr)
			})
		})
	}
}
