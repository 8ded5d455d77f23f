package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// spawning starts programs in Fortran; spawned says what C is told.
const spawning = `program p
  use mpi
  implicit none
  integer :: comm, codes(2), ierror
  character(len=8) :: argv(3), argvs(2, 3), commands(2)
  argv = (/'-n      ', ' a b    ', '        '/)
  call MPI_Comm_spawn(' run ', argv, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm, codes, ierror)
  call MPI_Comm_spawn('run', MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm, MPI_ERRCODES_IGNORE, ierror)
  commands = (/'one     ', 'two     '/)
  argvs = ' '
  argvs(1, 1) = 'x'
  argvs(2, 1) = 'y'
  argvs(2, 2) = 'full'//'full'
  call MPI_Comm_spawn_multiple(2, commands, argvs, (/1, 1/), (/MPI_INFO_NULL, MPI_INFO_ENV/), 0, &
    MPI_COMM_SELF, comm, codes, ierror)
  call MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, (/1, 1/), (/MPI_INFO_NULL, MPI_INFO_ENV/), 0, &
    MPI_COMM_SELF, comm, MPI_ERRCODES_IGNORE, ierror)
end program
`

const spawned = `#include <mpi.h>
#include <stdio.h>
static void list(char **argv)
{
    for (; argv && *argv; argv++)
        printf(" [%s]", *argv);
}
int MPI_Comm_spawn(const char *command, char *argv[], int n, MPI_Info info, int root,
    MPI_Comm comm, MPI_Comm *made, int codes[])
{
    printf("[%s] %s", command, argv == MPI_ARGV_NULL ? "null" : "");
    list(argv);
    printf(" %s\n", codes == MPI_ERRCODES_IGNORE ? "ignored" : "told");
    return MPI_SUCCESS;
}
int MPI_Comm_spawn_multiple(int count, char *commands[], char **argvs[], const int n[],
    const MPI_Info infos[], int root, MPI_Comm comm, MPI_Comm *made, int codes[])
{
    for (int i = 0; i < count; i++) {
        printf("[%s] %s", commands[i], argvs == MPI_ARGVS_NULL ? "null" : "");
        list(argvs ? argvs[i] : NULL);
        printf(" %d %s\n", infos[i] == MPI_INFO_ENV, codes == MPI_ERRCODES_IGNORE ? "ignored" : "told");
    }
    return MPI_SUCCESS;
}
`

// told is what spawned prints.
const told = `[run]  [-n] [a b] told
[run] null ignored
[one]  [x] 0 told
[two]  [y] [fullfull] 1 told
[one] null 0 ignored
[two] null 1 ignored
`

// loader runs a program in Fortran that it loads after the library that the subroutines are in.
const loader = `#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], RTLD_LAZY | RTLD_GLOBAL), *program = library ? dlopen(argv[2], RTLD_NOW) : 0;
    int (*run)(int, char **) = program ? (int (*)(int, char **))dlsym(program, "main") : 0;
    if (!run)
        fputs(dlerror(), stderr);
    return run ? run(argc, argv) : 1;
}
`

// built compiles sources, each a text or a file of cmd/libmpi, and returns the result.
func built(t *testing.T, name string, texts map[string]string, files []string, flags ...string) string {
	t.Helper()
	dir, folder := t.TempDir(), filepath.Join(root, "cmd/libmpi")
	args := append([]string{"-I" + filepath.Join(folder, "gen"), "-I" + compiledModule(t), "-ffunction-sections",
		"-Wl,--gc-sections", "-o", filepath.Join(dir, name)}, flags...)
	for source, text := range texts {
		source = filepath.Join(dir, source)
		require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
		args = append(args, source)
	}
	for _, source := range files {
		args = append(args, filepath.Join(folder, source))
	}
	out, err := exec.Command("gfortran", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return filepath.Join(dir, name)
}

// TestProgramsAndTheirArguments: texts of Fortran, blanks at their ends, become arrays of strings. Its special
// texts are found in a program, and in a library that is loaded after start.
func TestProgramsAndTheirArguments(t *testing.T) {
	if _, err := exec.LookPath("gfortran"); err != nil {
		t.Skip("there is no gfortran")
	}
	ours := []string{"gen/fortran.c", "fortran_texts.c", "fortran_convert.c", "fortran_abi.c"}
	program := built(t, "p", map[string]string{"p.f90": spawning, "spawned.c": spawned}, ours, "-no-pie")
	library := built(t, "mpi.so", map[string]string{"spawned.c": spawned}, ours, "-shared", "-fPIC",
		"-Wl,-z,lazy")
	later := built(t, "p.so", map[string]string{"p.f90": spawning}, nil, "-shared", "-fPIC")
	for _, command := range [][]string{
		{program},
		{built(t, "loader", map[string]string{"loader.c": loader}, nil, "-ldl"), library, later},
	} {
		out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, told, string(out))
	}
}
