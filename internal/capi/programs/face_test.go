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

	"github.com/gopvas/gopvas/internal/testkit"
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
	compile(t, "gcc", source, program, append(flags, "-Wno-stringop-overread", "-I"+dir, openMPI())...)
	return program
}

// faceProgramOf compiles a program with the compiler of Open MPI.
func faceProgramOf(t *testing.T, source string) string {
	t.Helper()
	compiler, err := exec.LookPath("mpicc.openmpi")
	if err != nil {
		t.Skip("mpicc.openmpi is not installed (Debian: libopenmpi-dev)")
	}
	program := filepath.Join(t.TempDir(), "program")
	compile(t, compiler, source, program)
	return program
}

func TestFaceOfOpenMPI(t *testing.T) {
	for name, program := range map[string]func(t *testing.T) string{
		"copies":        func(t *testing.T) string { return faceProgram(t, "face.c") },
		"addresses":     func(t *testing.T) string { return faceProgram(t, "face.c", "-fPIC") },
		"mpicc.openmpi": func(t *testing.T) string { return faceProgramOf(t, "face.c") },
	} {
		t.Run(name, func(t *testing.T) {
			built := program(t)
			eachWay(t, func(t *testing.T, w way) { w.ends(t, 3, built, filepath.Join(t.TempDir(), "file")) })
		})
	}
}

// What the programs here check holds in the face, too.
func TestProgramsByTheFace(t *testing.T) {
	type calls [][]string
	programs := map[string]calls{"semantics.c": {nil}, "upcalls.c": {nil}}
	if testkit.Long() {
		programs = map[string]calls{"semantics.c": {nil}, "upcalls.c": {nil}, "edges.c": {nil, {"early session"}},
			"ahead.c": {nil}, "attributes.c": {nil}, "old.c": {nil}, "children.c": {nil}, "signals.c": {nil},
			"garbage.c": {nil}, "graphs.c": {nil}, "types.c": {nil}, "files.c": {{"FOLDER"}}, "windows.c": {{"BTL"}},
			"files_fail.c": {{"write", "/dev/full", "space"}}, "tool.c": {nil},
			"spawned.c": {{"many"}, {"refused"}, {"generations"}},
			"threads.c": {{"multiple"}, {"serialized"}, {"funneled"}, {"other"},
				{"second one at a time"}, {"second at once"}}}
	}
	for source, calls := range programs {
		t.Run(source, func(t *testing.T) {
			program := faceProgram(t, source, "-pthread")
			eachModel(t, func(t *testing.T, w way) {
				t.Setenv("WANT_BTL", w.btl)
				t.Setenv("PVASRUN_UNIVERSE", "40")
				for _, args := range calls {
					var all []string
					for _, a := range args {
						all = append(all, strings.NewReplacer("FOLDER", t.TempDir(), "BTL", w.btl).Replace(a))
					}
					w.ends(t, 3, program, all...)
				}
			})
		})
	}
}

// stranger is a program that lacks a function, bound lazily or now: the library that it was linked with had it.
func stranger(t *testing.T, bound string) string {
	t.Helper()
	then, now := t.TempDir(), t.TempDir()
	for dir, text := range map[string]string{then: "int MPI_From_the_future(void *comm) { return 0; }", now: ""} {
		cmd := exec.Command("gcc", "-shared", "-fPIC", "-Wl,-soname,libfuture.so", "-x", "c", "-",
			"-o", filepath.Join(dir, "libfuture.so"))
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return faceProgram(t, "strange.c", filepath.Join(then, "libfuture.so"), "-Wl,-rpath,"+now, "-Wl,-z,"+bound)
}

// A function that the library does not have is named, where it is called or, if all are bound at once, at the start.
func TestMissingFunctionIsNamed(t *testing.T) {
	for _, bound := range []string{"lazy", "now"} {
		program := stranger(t, bound)
		eachModel(t, func(t *testing.T, w way) {
			stdout, stderr, code := w.start(t, 1, program)
			require.NotZero(t, code)
			require.Contains(t, stderr, "undefined symbol: MPI_From_the_future")
			require.Equal(t, bound == "lazy", strings.Contains(stdout, "runs"), stdout)
		})
	}
}

// Two MPI libraries in a process would each have some of its calls. pvasrun sees those that a program is linked with.
func TestTwoLibrariesAreRefused(t *testing.T) {
	program := stranger(t, "lazy")
	eachModel(t, func(t *testing.T, w way) {
		_, stderr, code := w.start(t, 1, program, filepath.Join(installed, "lib", "libmpi_abi.so.1"))
		require.Equal(t, 1, code, stderr)
		require.Regexp(t, `(?m)^libmpi: this process has two MPI libraries, \S+/libmpi.so.40 and \S+/libmpi_abi.so.1: `+
			`build all parts of the program, and its libraries, with one$`, stderr)
	})
}

// A module that loads libmpi.so for all to see gets the library of the program, wherever it is looked for.
func TestLibmpiSoIsTheFace(t *testing.T) {
	program := faceProgram(t, "global.c")
	eachModel(t, func(t *testing.T, w way) {
		w.ends(t, 2, program)
		t.Setenv("LD_LIBRARY_PATH", filepath.Join(installed, "lib"))
		w.ends(t, 2, program)
	})
}
