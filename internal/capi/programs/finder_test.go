package programs

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lib is a file of the installation.
func lib(name string) string { return filepath.Join(installed, "lib", name) }

// foreign is another MPI, by a name and in a folder of its own.
func foreign(t *testing.T, name string) string {
	t.Helper()
	library := filepath.Join(t.TempDir(), name)
	compile(t, "gcc", "alone.c", library, "-shared", "-fPIC", "-Wl,-soname,"+name)
	return library
}

// libraries are size.c as a library of each of our faces.
func libraries(t *testing.T) (standard, face, mpich string) {
	t.Helper()
	dir := t.TempDir()
	standard = filepath.Join(dir, "standard.so")
	flags := []string{"-shared", "-fPIC", "-DLIBRARY"}
	compile(t, tool("mpicc"), "size.c", standard, flags...)
	return standard, faceProgram(t, "size.c", flags...), faceMPICH.program(t, "size.c", flags...)
}

// A program that says nowhere where its library is finds that of the pvasrun that starts it.
func TestProgramWithoutPath(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	compile(t, "gcc", "size.c", program, "-fPIE", "-pie", "-I"+filepath.Join(installed, "include"),
		"-L"+filepath.Join(installed, "lib"), "-lmpi_abi")
	eachModel(t, func(t *testing.T, w way) {
		require.Equal(t, "size 2 sum 1\n", w.ends(t, 2, program))
	})
}

// A script that puts other folders first, or none, changes nothing.
func TestScriptsThatNameOtherFolders(t *testing.T) {
	theirs := filepath.Dir(foreign(t, "libmpi.so.40"))
	program, standard := faceProgram(t, "size.c"), build(t, "size.c")
	w := way{btl: "sm", entry: "coroutine"}
	for _, variable := range []string{"LD_LIBRARY_PATH=", "LD_LIBRARY_PATH=" + theirs,
		"LD_PRELOAD=" + theirs + "/libmpi.so.40"} {
		require.Equal(t, "size 2 sum 1\n", w.ends(t, 2, "sh", "-c", "export "+variable+"; exec $0", program))
	}
	require.Equal(t, "size 2 sum 1\n", w.ends(t, 2, "sh", "-c", "unset LD_LIBRARY_PATH; exec $0", standard))
}

// What a program loads when it runs is ours, by whatever name and path.
func TestLibraryThatIsLoadedLate(t *testing.T) {
	open := filepath.Join(t.TempDir(), "opens")
	compile(t, "gcc", "opens.c", open, "-fPIE", "-pie")
	standard, face, mpich := libraries(t)
	theirs, bare, abi := foreign(t, "libmpi.so.40"), foreign(t, "libmpi.so"), foreign(t, "libmpi_abi.so.0")
	debians := foreign(t, "libmpich.so.12")
	eachModel(t, func(t *testing.T, w way) {
		for _, library := range []string{"libmpi.so", "libmpi.so.40", "libmpi_abi.so", "libmpi_abi.so.1", theirs, bare,
			abi, theirs + ".30.4", lib("libmpi_abi.so.1"), "libmpi.so.12", "libmpich.so", debians} {
			require.Equal(t, "size 2\n", w.ends(t, 2, open, library), library)
		}
		for _, opened := range [][]string{{standard}, {face}, {"libmpi.so", face}, {theirs, face}, {bare, face},
			{"libmpi_abi.so.1", standard}, {standard, "libmpi.so", standard}, {face, "libmpi.so", face}, {mpich},
			{debians, "libmpi.so", mpich}} {
			require.Equal(t, "size 2 sum 1\n", w.ends(t, 2, open, opened...), opened)
		}
	})
}

// A rank that initialises an MPI that is not ours would be alone: it says so. One that is linked with it may run.
func TestAnotherMPIIsNamed(t *testing.T) {
	other := foreign(t, "libmpich.so.10")
	dir := filepath.Dir(other)
	open := filepath.Join(dir, "opens")
	compile(t, "gcc", "opens.c", open, "-fPIE", "-pie")
	says := "libmpi: this rank initialises " + other + ", which is not the MPI library of pvasrun, so it would be"
	for i, flags := range [][]string{{"-Wl,-z,lazy"}, {"-Wl,-z,now"}, {"-fno-plt"}} {
		program := filepath.Join(dir, strconv.Itoa(i))
		compile(t, "gcc", "alone.c", program, append(flags, "-DPROGRAM", "-fPIE", "-pie", other, "-Wl,-rpath,"+dir)...)
		eachModel(t, func(t *testing.T, w way) {
			stdout, stderr, code := w.start(t, 2, program)
			require.Zero(t, code, stderr)
			require.Equal(t, "alone\nalone\n", stdout)
			for _, call := range [][]string{{program, "init"}, {open, other}} {
				stdout, stderr, code := w.start(t, 2, call[0], call[1:]...)
				require.Equal(t, 1, code)
				require.Contains(t, stderr, says)
				require.Empty(t, stdout)
				_, stderr, code = w.start(t, 1, call[0], call[1:]...)
				require.Zero(t, code, stderr)
			}
		})
	}
	// What the launcher of that MPI starts is none of our business.
	_, stderr, code := run(t, nil, tool("mpiexec"), "-n", "2", "env", "PMI_FD=9", open, other)
	require.Zero(t, code, stderr)
}

// Two parts of a process that were built for different faces: the first call that cannot be right names both libraries.
func TestBothFaces(t *testing.T) {
	standard, face, mpich := libraries(t)
	hosts := []struct{ host, part, first, second string }{
		{build(t, "opens.c", "-DHOST"), face, "libmpi_abi.so.1", "libmpi.so.40"},
		{faceProgram(t, "opens.c", "-DHOST"), standard, "libmpi.so.40", "libmpi_abi.so.1"},
		{faceMPICH.program(t, "opens.c", "-DHOST"), face, "libmpi.so.12", "libmpi.so.40"},
		{build(t, "opens.c", "-DHOST"), mpich, "libmpi_abi.so.1", "libmpi.so.12"},
	}
	eachModel(t, func(t *testing.T, w way) {
		for _, h := range hosts {
			host, part := h.host, h.part
			_, stderr, code := w.start(t, 2, host, part)
			require.Equal(t, 1, code, stderr)
			first, _, _ := strings.Cut(stderr, ": build all parts")
			require.Contains(t, first, "libmpi: this process has two MPI libraries, ")
			require.Contains(t, first, lib(h.first))
			require.Contains(t, first, lib(h.second))
		}
	})
}

// A rank whose environment was cleaned does not run alone without a word.
func TestCleanedEnvironment(t *testing.T) {
	program := build(t, "size.c")
	w := way{btl: "sm", entry: "coroutine"}
	_, stderr, code := w.start(t, 2, "sh", "-c", "exec env -i $0", program)
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "what starts the program takes them from its environment, as env -i does")
	require.Equal(t, "size 1 sum 0\n", w.ends(t, 1, "sh", "-c", "exec env -i $0", program))
	alone := w.ends(t, 2, "sh", "-c", "unset PVAS_JOB; exec $0", program)
	require.Equal(t, "size 1 sum 0\nsize 1 sum 0\n", alone)
}
