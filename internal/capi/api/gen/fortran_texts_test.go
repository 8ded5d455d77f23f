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

// TestProgramsAndTheirArguments: texts of Fortran, blanks at their ends, become arrays of strings.
func TestProgramsAndTheirArguments(t *testing.T) {
	if _, err := exec.LookPath("gfortran"); err != nil {
		t.Skip("there is no gfortran")
	}
	dir, folder := t.TempDir(), filepath.Join(root, "cmd/libmpi")
	program, fake := filepath.Join(dir, "p.f90"), filepath.Join(dir, "spawned.c")
	require.NoError(t, os.WriteFile(program, []byte(spawning), 0o600))
	require.NoError(t, os.WriteFile(fake, []byte(spawned), 0o600))
	args := []string{"-I" + folder, "-I" + compiledModule(t), "-no-pie", "-ffunction-sections", "-Wl,--gc-sections",
		"-o", filepath.Join(dir, "p"), program, fake}
	for _, name := range []string{"fortran.c", "fortran_texts.c", "fortran_convert.c"} {
		args = append(args, filepath.Join(folder, name))
	}
	out, err := exec.Command("gfortran", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command(filepath.Join(dir, "p")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, `[run]  [-n] [a b] told
[run] null ignored
[one]  [x] 0 told
[two]  [y] [fullfull] 1 told
[one] null 0 ignored
[two] null 1 ignored
`, string(out))
}
