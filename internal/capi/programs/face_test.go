package programs

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
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

// A face is the library as programs of another MPI see it.
type face struct {
	soname, header, flag string // of the library, and of programs for it
	compiler, packages   string // of that MPI
}

var (
	faceOpenMPI = face{"libmpi.so.40", "openmpi.h", "-DFACE_OPENMPI", "mpicc.openmpi", "libopenmpi-dev"}
	faceMPICH   = face{"libmpi.so.12", "mpich.h", "-DFACE_MPICH", "mpicc.mpich", "libmpich-dev"}
	allFaces    = []face{faceOpenMPI, faceMPICH}
)

// program compiles a program by the declarations of the face, and links it with that.
func (f face) program(t *testing.T, source string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	header, err := os.ReadFile(filepath.Join("../../../cmd/libmpi/gen", f.header))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mpi.h"), header, 0o600))
	program := filepath.Join(dir, "program")
	compile(t, "gcc", source, program, append(flags, f.flag, "-Wno-stringop-overread", "-I"+dir, lib(f.soname))...)
	return program
}

// theirs compiles a program with the compiler of that MPI.
func (f face) theirs(t *testing.T, source string, flags ...string) string {
	t.Helper()
	compiler, err := exec.LookPath(f.compiler)
	if err != nil {
		t.Skipf("%s is not installed (Debian: %s)", f.compiler, f.packages)
	}
	program := filepath.Join(t.TempDir(), "program")
	compile(t, compiler, source, program, append(flags, f.flag)...)
	return program
}

func faceProgram(t *testing.T, source string, flags ...string) string {
	return faceOpenMPI.program(t, source, flags...)
}

func TestFaces(t *testing.T) {
	for _, f := range allFaces {
		for name, program := range map[string]func(t *testing.T) string{
			"copies":    func(t *testing.T) string { return f.program(t, "face.c") },
			"addresses": func(t *testing.T) string { return f.program(t, "face.c", "-fPIC") },
			f.compiler:  func(t *testing.T) string { return f.theirs(t, "face.c") },
		} {
			if name == "addresses" && f == faceMPICH && !testkit.Long() {
				continue // its handles are no addresses
			}
			t.Run(f.soname+"/"+name, func(t *testing.T) {
				built := program(t)
				eachWay(t, func(t *testing.T, w way) { w.ends(t, 3, built, filepath.Join(t.TempDir(), "file")) })
			})
		}
	}
}

// What the programs here check holds in the faces, too. Those of MPICH are compiled with its own compiler, if it is
// there.
func TestProgramsByTheFaces(t *testing.T) {
	t.Run("libmpi.so.40", func(t *testing.T) { programsBy(t, faceProgram) })
	t.Run("libmpi.so.12", func(t *testing.T) {
		programsBy(t, func(t *testing.T, source string, flags ...string) string {
			_, err := exec.LookPath(faceMPICH.compiler)
			if later := []string{"edges.c", "graphs.c", "tool.c"}; err != nil || slices.Contains(later, source) {
				return faceMPICH.program(t, source, flags...) // MPICH 4.0 does not declare all that they use
			}
			return faceMPICH.theirs(t, source, flags...)
		})
	})
}

func programsBy(t *testing.T, build func(t *testing.T, source string, flags ...string) string) {
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
			program := build(t, source, "-pthread")
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

// Our library has all that programs can ask Debian's MPICH for.
func TestFaceHasTheNamesOfMPICH(t *testing.T) {
	const library = "/usr/lib/x86_64-linux-gnu/libmpich.so.12"
	theirs, err := elf.Open(library)
	if err != nil {
		t.Skipf("MPICH is not installed (Debian: libmpich12): %v", err)
	}
	defer func() { require.NoError(t, theirs.Close()) }()
	has := defined(t, lib(faceMPICH.soname))
	symbols, err := theirs.DynamicSymbols()
	require.NoError(t, err)
	n := 0
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF || !ofMPICH.MatchString(s.Name) {
			continue
		}
		n++
		ours, there := has[s.Name]
		if !assert.True(t, there, s.Name) {
			continue
		}
		require.Equal(t, elf.ST_TYPE(s.Info), elf.ST_TYPE(ours.Info), s.Name)
		if elf.ST_TYPE(s.Info) == elf.STT_OBJECT {
			require.Equal(t, s.Size, ours.Size, s.Name)
		}
	}
	require.Greater(t, n, 1200)
}

// ofMPICH are the names that programs may ask for, and that MPICH's libraries for Fortran do.
var ofMPICH = regexp.MustCompile(`^(P?MPIX?_|MPIR_(F08_|C_|Dup_fn)|MPII_(Comm|Type|Win|Keyval|Grequest|Op|Errhandler))`)

// defined are the symbols that a library defines.
func defined(t *testing.T, library string) map[string]elf.Symbol {
	t.Helper()
	f, err := elf.Open(library)
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
	return has
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
	for _, f := range allFaces {
		program := f.program(t, "global.c")
		eachModel(t, func(t *testing.T, w way) {
			w.ends(t, 2, program)
			t.Setenv("LD_LIBRARY_PATH", filepath.Join(installed, "lib"))
			w.ends(t, 2, program)
		})
	}
}
