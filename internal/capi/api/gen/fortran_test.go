package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// gfortran compiles a program in Fortran, which is given as text.
func gfortran(t *testing.T, name, text string, flags ...string) {
	t.Helper()
	out, err := compileFortran(t, name, text, flags...)
	require.NoError(t, err, "%s", out)
}

// gfortranFails returns what the compiler says of a program that is wrong.
func gfortranFails(t *testing.T, text string) string {
	t.Helper()
	out, err := compileFortran(t, "wrong.f90", text)
	require.Error(t, err, "%s", text)
	return out
}

func compileFortran(t *testing.T, name, text string, flags ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("gfortran"); err != nil {
		t.Skip("there is no gfortran")
	}
	dir := t.TempDir()
	source := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
	folder := filepath.Join(root, "cmd/libmpi/gen")
	args := append(flags, "-I"+folder, "-I"+compiledModule(t), "-J"+dir, "-c", source, "-o", filepath.Join(dir, "a.o"))
	out, err := exec.Command("gfortran", args...).CombinedOutput()
	return string(out), err
}

// modules is a folder for the modules, which TestMain makes.
var modules string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	var err error
	if modules, err = os.MkdirTemp("", "gen-test"); err != nil {
		fmt.Println(err)
		return 1
	}
	defer func() { _ = os.RemoveAll(modules) }()
	return m.Run()
}

// compileModules compiles the modules, once for all tests, and returns what the compiler says.
var compileModules = sync.OnceValues(func() (said []byte, err error) {
	for _, name := range []string{"mpi.f90", "mpi_f08.f90", "mpi_ext.f90", "mpi_f08_ext.f90"} {
		out, failed := exec.Command("gfortran", "-Wall", "-Wno-c-binding-type", "-c",
			filepath.Join(root, "cmd/libmpi/gen", name), "-I"+modules, "-J"+modules, "-o",
			filepath.Join(modules, "mpi.o")).CombinedOutput()
		said, err = append(said, out...), errors.Join(err, failed)
	}
	return said, err
})

// compiledModule is a folder with the modules.
func compiledModule(t *testing.T) string {
	t.Helper()
	out, err := compileModules()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out))
	return modules
}

// fortranSources are the files in C that Fortran calls.
func fortranSources(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, "cmd/libmpi/fortran_*.c"))
	require.NoError(t, err)
	return append(names, filepath.Join(root, "cmd/libmpi/gen/fortran.c"),
		filepath.Join(root, "cmd/libmpi/gen/fortran_f08.c"))
}

const fixedForm = `      PROGRAM P
      INCLUDE 'mpif.h'
      INTEGER IERR, R, S(MPI_STATUS_SIZE)
      REAL*8 X(3)
      INTEGER(KIND=MPI_ADDRESS_KIND) A
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, R, IERR)
      CALL MPI_BCAST(X, 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD,
     &               IERR)
      CALL MPI_RECV(X, 3, MPI_REAL8, MPI_ANY_SOURCE, MPI_ANY_TAG,
     &              MPI_COMM_WORLD, S, IERR)
      X(1) = MPI_WTIME() - MPI_WTICK()
      A = MPI_AINT_ADD(A, A)
      CALL MPI_FINALIZE(IERR)
      END
`

const freeForm = `program p
  use mpi
  implicit none
  integer :: ierr, r, requests(2), statuses(MPI_STATUS_SIZE, 2)
  real(8) :: x(3)
  integer :: n(4, 4)
  complex :: z
  character(len=MPI_MAX_ERROR_STRING) :: text
  call MPI_Init(ierr)
  call MPI_Isend(x, 3, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Irecv(n, 16, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, statuses, ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, z, 1, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Send(text, 3, MPI_CHARACTER, 0, 1, MPI_COMM_WORLD, ierr)
  call MPI_Error_string(ierr, text, r, ierr)
  x(1) = MPI_Wtime()
  call PMPI_Finalize(ierr)
end program
`

func TestFortranCompiles(t *testing.T) {
	gfortran(t, "fixed.f", fixedForm, "-std=legacy", "-Wall", "-Werror", "-Wno-unused-parameter",
		"-Wno-unused-variable", "-Wno-uninitialized")
	gfortran(t, "free.f90", strings.Replace(freeForm, "use mpi\n  implicit none", "implicit none\n  include 'mpif.h'",
		1), "-w", "-fallow-argument-mismatch")
	gfortran(t, "module.f90", freeForm, "-Wall", "-Werror")
}

// removed are subroutines of MPI 1, which no header declares.
var removed = []string{"address", "errhandler_create", "errhandler_get", "errhandler_set", "type_extent",
	"type_hindexed", "type_hvector", "type_lb", "type_struct", "type_ub"}

// fortranSymbols are the names that the files in C define.
func fortranSymbols(t *testing.T) map[string]bool {
	t.Helper()
	folder, symbols := filepath.Join(root, "cmd/libmpi"), map[string]bool{}
	for _, name := range fortranSources(t) {
		object := filepath.Join(t.TempDir(), "a.o")
		out, err := exec.Command("gcc", "-fPIC", "-Wall", "-Werror", "-I"+folder, "-c", name, "-o",
			object).CombinedOutput()
		require.NoError(t, err, "%s", out)
		out, err = exec.Command("nm", "--defined-only", object).Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			symbols[strings.Fields(line)[2]] = true
		}
	}
	return symbols
}

// TestFortranHasEverySubroutine: what the module declares is there, by both names.
func TestFortranHasEverySubroutine(t *testing.T) {
	symbols := fortranSymbols(t)
	table, err := load(root)
	require.NoError(t, err)
	functions := fortranFunctions(table)
	require.Greater(t, len(functions), 400)
	for _, f := range functions {
		for _, prefix := range []string{"mpi_", "pmpi_"} {
			name := prefix + strings.ToLower(f.Name) + "_"
			require.True(t, symbols[name], name)
		}
	}
	for _, name := range append(predefinedCallbacks, "MPI_CONVERSION_FN_NULL_C") {
		require.True(t, symbols[strings.ToLower(name)+"_"], name)
	}
	for _, name := range removed {
		require.True(t, symbols["mpi_"+name+"_"], name)
	}
	for name := range offered(t, "mpi_f08.f90") {
		require.True(t, symbols[strings.ToLower(name)+"_"] || isCallback(strings.TrimPrefix(name, "MPI_")), name)
	}
}

func TestMpifIsGoodInBothForms(t *testing.T) {
	table, err := load(root)
	require.NoError(t, err)
	text, err := mpif(table)
	require.NoError(t, err)
	more, err := mpifExt(table)
	require.NoError(t, err)
	for line := range strings.Lines(string(text) + string(more)) {
		line = strings.TrimSuffix(line, "\n")
		if line[0] != '!' {
			require.LessOrEqual(t, len(line), 72, line)
			require.True(t, strings.HasPrefix(line, "      "), line)
		}
	}
}
