package programs

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// faceSymbols are the names of what the library of Open MPI defines.
func faceSymbols(t *testing.T) map[string]bool {
	t.Helper()
	f, err := elf.Open(openMPI())
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	symbols, err := f.DynamicSymbols()
	require.NoError(t, err)
	defined := map[string]bool{}
	for _, s := range symbols {
		defined[s.Name] = defined[s.Name] || s.Section != elf.SHN_UNDEF
	}
	return defined
}

// A subroutine has the spellings of four compilers, twice, and the name that the library for mpi_f08 calls.
func TestFaceHasTheSubroutinesOfOpenMPI(t *testing.T) {
	defined := faceSymbols(t)
	list, err := os.ReadFile("testdata/faces/mpifh.txt")
	require.NoError(t, err)
	n := 0
	for name := range strings.Lines(string(list)) {
		if name = strings.TrimSpace(name); name[0] == '#' {
			continue
		}
		n++
		for _, as := range []string{name, "p" + name} {
			for _, spelled := range []string{as, as + "_", as + "__", strings.ToUpper(as)} {
				require.True(t, defined[spelled], spelled)
			}
		}
		require.True(t, defined["o"+name+"_f"], name)
	}
	require.Equal(t, 391, n)
	for _, name := range []string{"mpi_comm_dup_fn", "mpi_null_delete_fn_", "mpi_win_null_copy_fn__", "MPI_TYPE_DUP_FN",
		"mpi_conversion_fn_null_", "mpi_sizeof_real64_r15_", "pmpi_sizeof_character_scalar_",
		"_ZN3MPI8Datatype4FreeEv", "_ZN3MPI4CommC2Ev", "_ZN3MPI3Win4FreeEv", "ompi_mpi_cxx_op_intercept"} {
		require.True(t, defined[name], name)
	}
}

// Open MPI's own library for mpi_f08 finds in this one all that it needs.
func TestFaceServesTheLibraryForF08(t *testing.T) {
	const library = "/usr/lib/x86_64-linux-gnu/libmpi_usempif08.so.40"
	f, err := elf.Open(library)
	if err != nil {
		t.Skipf("Open MPI is not installed (Debian: libopenmpi3): %v", err)
	}
	defer func() { require.NoError(t, f.Close()) }()
	imported, err := f.ImportedSymbols()
	require.NoError(t, err)
	defined, n := faceSymbols(t), 0
	for _, s := range imported {
		if strings.Contains(strings.ToLower(s.Name), "mpi") {
			require.True(t, defined[s.Name], s.Name)
			n++
		}
	}
	require.Greater(t, n, 300)
}

// compiledByTheirs compiles a program of testdata. What it includes is of these declarations.
func compiledByTheirs(t *testing.T, compiler, source, declarations string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("%s is not installed (Debian: gfortran, libopenmpi-dev or libmpich-dev)", compiler)
	}
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("testdata/faces", source))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, source), text, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "declared.inc"), []byte(declarations), 0o600))
	cmd := exec.Command(compiler, append([]string{"-O1", "-w", source, "-o", "program"}, flags...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return filepath.Join(dir, "program")
}

func TestFaceInFortranAndCxx(t *testing.T) {
	t.Setenv("LD_LIBRARY_PATH", filepath.Dir(openMPI()))
	own, err := os.ReadFile("testdata/faces/declared.inc")
	require.NoError(t, err)
	const lenient, cpp = "-fallow-argument-mismatch", "-cpp"
	for name, program := range map[string]func(t *testing.T) string{
		"declarations of its own": func(t *testing.T) string {
			return compiledByTheirs(t, "gfortran", "declared.f90", string(own), lenient, cpp, openMPI())
		},
		"mpif.h": func(t *testing.T) string {
			return compiledByTheirs(t, "mpif90.openmpi", "declared.f90", "  include 'mpif.h'\n", lenient, cpp)
		},
		"mpi_f08": func(t *testing.T) string { return compiledByTheirs(t, "mpif90.openmpi", "typed.f90", "") },
		"C++":     func(t *testing.T) string { return compiledByTheirs(t, "mpicxx.openmpi", "objects.cc", "") },
	} {
		t.Run(name, func(t *testing.T) {
			built := program(t)
			eachWay(t, func(t *testing.T, w way) {
				stdout, stderr, code := w.start(t, 3, built)
				require.Equal(t, 0, code, "%s%s", stdout, stderr)
				require.Equal(t, "all right\n", stdout)
			})
		})
	}
}

// With MPICH's own libraries for Fortran and C++, which call ours, and with ours for Fortran.
func TestFaceOfMPICHInFortranAndCxx(t *testing.T) {
	declared := func(t *testing.T) string {
		return compiledByTheirs(t, "mpifort.mpich", "declared.f90", "  include 'mpif.h'\n",
			"-fallow-argument-mismatch", "-cpp", faceMPICH.flag)
	}
	typed := func(t *testing.T) string { return compiledByTheirs(t, "mpifort.mpich", "typed.f90", "") }
	cxx := func(source string) func(t *testing.T) string {
		return func(t *testing.T) string { return compiledByTheirs(t, "mpicxx.mpich", source, "") }
	}
	for name, c := range map[string]struct {
		folders string
		program func(t *testing.T) string
	}{
		"mpif.h": {"", declared}, "mpif.h by ours": {filepath.Join(installed, "lib"), declared}, "mpi_f08": {"", typed},
		"C++": {"", cxx("objects.cc")}, "C++ of MPI 2": {"", cxx("removed.cc")},
	} {
		t.Run(name, func(t *testing.T) {
			built := c.program(t)
			t.Setenv("LD_LIBRARY_PATH", c.folders)
			eachWay(t, func(t *testing.T, w way) {
				stdout, stderr, code := w.start(t, 3, built)
				require.Equal(t, 0, code, "%s%s", stdout, stderr)
				require.Equal(t, "all right\n", stdout)
			})
		})
	}
}
