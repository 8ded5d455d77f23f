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

// needs skips a test without a command, which CI must have.
func needs(t *testing.T, command string) {
	t.Helper()
	if _, err := exec.LookPath(command); err != nil {
		require.Empty(t, os.Getenv("CI"), "CI must have %s", command)
		t.Skip(command + " is not installed")
	}
}

// answer is what a wrapper prints.
func answer(t *testing.T, env []string, wrapper string, args ...string) string {
	t.Helper()
	out, stderr, code := run(t, env, tool(wrapper), args...)
	require.Equal(t, 0, code, "%s %v: %s", wrapper, args, stderr)
	return strings.TrimSpace(out)
}

func TestWrappersAnswer(t *testing.T) {
	include, lib := "-I"+filepath.Join(installed, "include"), filepath.Join(installed, "lib")
	link := "-L" + lib + " -Wl,-rpath," + lib + " -lmpi_abi"
	for _, c := range []struct{ wrapper, args, want string }{
		{"mpicc", "-showme:compile", include},
		{"mpicc", "--showme:compile", include},
		{"mpicc", "-showme:link", link},
		{"mpicc", "--showme:command", "gcc"},
		{"mpicc", "-cc=clang -showme:command a.c", "clang"},
		{"mpicxx", "-showme:libdirs", lib},
		{"mpiCC", "-showme:libs", "mpi_abi"},
		{"mpicc", "-showme:incdirs", strings.TrimPrefix(include, "-I")},
		{"mpicc", "-compile-info", "gcc " + include},
		{"mpic++", "-link-info", "g++ " + link},
		{"mpicc", "-show", "gcc -fPIE " + include + " -pie " + link},
		{"mpicc", "-show -c a.c -o a.o", "gcc -fPIE " + include + " -c a.c -o a.o"},
		{"mpicc", "-show a.c b.o -lm", "gcc -fPIE " + include + " a.c b.o -lm -pie " + link},
		{"mpicc", "-show -shared -fPIC a.c", "gcc -fPIE " + include + " -shared -fPIC a.c " + link},
		{"mpicc", "-cc=clang -show -E a.c", "clang -fPIE " + include + " -E a.c"},
		{"mpicc", "-show -MD a.c", "gcc -fPIE " + include + " -MD a.c -pie " + link},
		{"mpicc_abi", "-show -M a.c", "gcc -fPIE " + include + " -M a.c"},
	} {
		require.Equal(t, c.want, answer(t, nil, c.wrapper, strings.Fields(c.args)...), c.args)
	}
	require.Equal(t, "tcc -x "+include, answer(t, []string{"PVAS_CC=tcc -x"}, "mpicc", "-compile-info"))
	require.Equal(t, "icx "+include, answer(t, []string{"OMPI_CC=icx", "MPICH_CC=tcc"}, "mpicc", "-compile-info"))
	require.Contains(t, answer(t, nil, "mpicc", "-showme:version"), "gopvas")
	require.Contains(t, answer(t, nil, "mpicc", "--version"), "gcc", "without a file there is nothing to link")
	require.Contains(t, answer(t, nil, "mpiexec", "--version"), "pvasrun")
	_, stderr, code := run(t, nil, tool("mpicc"), "-showme:weather")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "there are command, compile, link")
	_, _, code = run(t, nil, tool("mpicc"), "-c", "/nowhere/a.c")
	require.NotEqual(t, 0, code, "the compiler's exit code is the wrapper's")
}

// Programs are position independent also where the compiler would not make them so, and
// arguments with spaces stay whole.
func TestWrappersBuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "with space")
	require.NoError(t, os.Mkdir(dir, 0o755))
	source := filepath.Join(dir, "a program.c")
	require.NoError(t,
		os.WriteFile(source,
			[]byte("#include <mpi.h>\nint main(void) { puts(TEXT); return MPI_Init(0, 0) || MPI_Finalize(); }\n"),
			0o644))
	program := filepath.Join(dir, "a program")
	_, stderr, code := run(t, nil, tool("mpicc"), "-include", "stdio.h", `-DTEXT="two words"`, "-fno-pie",
		"-fpie", source, "-o", program)
	require.Equal(t, 0, code, stderr)
	file, err := elf.Open(program)
	require.NoError(t, err)
	defer file.Close()
	require.Equal(t, elf.ET_DYN, file.Type)
	libraries, err := file.ImportedLibraries()
	require.NoError(t, err)
	require.Contains(t, libraries, "libmpi_abi.so.1")
	eachWay(t, func(t *testing.T, w way) {
		require.Equal(t, "two words\ntwo words\n", w.ends(t, 2, program))
	})
}

// The names of mpiexec and its flags.
func TestMpiexec(t *testing.T) {
	program := build(t, "ring.c")
	for _, args := range [][]string{
		{"-np", "2", "--oversubscribe", "--bind-to", "none"},
		{"-n", "2", "-env", "A", "1", "-genv", "B", "2", "-wdir", "/", "-host", "localhost"},
		{"-n", "1", program, ":", "-n", "1"},
	} {
		out, stderr, code := run(t, nil, tool("mpirun"), append(args, program)...)
		require.Equal(t, 0, code, stderr)
		require.Contains(t, out, "rank 1 of 2\n")
	}
	_, stderr, code := run(t, nil, tool("mpirun"), "--hostfile", "x", program)
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "hostfile")
}

// The folder may be moved: nothing in it has its path.
// TestEnvironmentPasses: variables that are none of a shell come to the ranks, as functions do that bash exports.
func TestEnvironmentPasses(t *testing.T) {
	env := []string{"a.b=1", "BASH_FUNC_fun%%=() {  echo x; }"}
	for _, command := range []string{"mpiexec", "mpirun", "pvasrun"} {
		out, stderr, code := run(t, env, tool(command), "-n", "1", "env")
		require.Equal(t, 0, code, "%s: %s", command, stderr)
		require.Contains(t, out, "a.b=1\n", command)
		require.Contains(t, out, "BASH_FUNC_fun%%=() {  echo x; }\n", command)
	}
}

func TestInstallationMoves(t *testing.T) {
	moved := filepath.Join(t.TempDir(), "moved")
	require.NoError(t, os.CopyFS(moved, os.DirFS(installed)))
	program := filepath.Join(moved, "ring")
	_, stderr, code := run(t, nil, filepath.Join(moved, "bin/mpicc"), "testdata/ring.c", "-o", program)
	require.Equal(t, 0, code, stderr)
	out, stderr, code := run(t, nil, "ldd", program)
	require.Equal(t, 0, code, stderr)
	require.Contains(t, out, filepath.Join(moved, "lib/libmpi_abi.so.1"))
	out, stderr, code = run(t, nil, filepath.Join(moved, "bin/mpiexec"), "-n", "2", program)
	require.Equal(t, 0, code, stderr)
	require.Contains(t, out, "rank 1 of 2")
}

func TestPkgConfig(t *testing.T) {
	needs(t, "pkg-config")
	dir := filepath.Join(installed, "lib/pkgconfig")
	env := []string{"PKG_CONFIG_PATH=" + dir + ":" + filepath.Join(dir, "others")}
	for _, name := range []string{"mpi", "mpi-c", "mpi-cxx", "mpi-fort", "gopvas", "ompi-c", "mpich"} {
		out, stderr, code := run(t, env, "pkg-config", "--cflags", "--libs", name)
		require.Equal(t, 0, code, stderr)
		require.Contains(t, out, "-lmpi_abi")
		require.Contains(t, filepath.Clean(strings.TrimPrefix(strings.Fields(out)[0], "-I")), "include")
	}
}

// A project of CMake builds without knowing us.
func TestCMake(t *testing.T) {
	for _, command := range []string{"cmake", "g++", "gfortran", "make"} {
		needs(t, command)
	}
	source, err := filepath.Abs("testdata/cmake")
	require.NoError(t, err)
	dir := t.TempDir()
	env := []string{"PATH=" + filepath.Join(installed, "bin") + ":" + os.Getenv("PATH"), "CMAKE_BUILD_PARALLEL_LEVEL=2"}
	for _, args := range [][]string{{"cmake", "-S", source, "-B", dir}, {"cmake", "--build", dir},
		{"ctest", "--test-dir", dir, "--output-on-failure"}} {
		out, stderr, code := run(t, env, args[0], args[1:]...)
		require.Equal(t, 0, code, "%v\n%s%s", args, out, stderr)
	}
}

// What configure scripts do with CC=mpicc: compile, link and run a program, look for a
// function in libraries, and make objects and shared libraries as libtool does.
func TestConfigure(t *testing.T) {
	dir := t.TempDir()
	script := `set -e
echo '#include <mpi.h>
int main(void) { return MPI_Init(0, 0) || MPI_Finalize(); }' > conftest.c
$CC -o conftest -g -O2 conftest.c
./conftest
echo 'char MPI_Init(); int main(void) { return MPI_Init(); }' > conftest.c
$CC -o conftest -g -O2 conftest.c -lmpi
$CC -E conftest.c > preprocessed
$CC -M conftest.c > dependencies
$CC -c -fPIC -DPIC conftest.c -o part.o
$CC -shared -fPIC -DPIC part.o -Wl,-soname -Wl,libpart.so.0 -o libpart.so.0
test -s libpart.so.0 -a -s preprocessed -a -s dependencies
`
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CC="+tool("mpicc"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// Programs that include mpif.h, through the name that they use.
func TestFortran77(t *testing.T) {
	needs(t, "gfortran")
	eachWayEnds(t, 3, "old.f")
}

// Ranks of another MPI cannot find each other, which pvasrun says; and so do ours under another launcher.
func TestOtherMPIs(t *testing.T) {
	dir := t.TempDir()
	library, program := filepath.Join(dir, "libmpich.so.10"), filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "lib.c"), []byte("int other(void) { return 0; }\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.c"),
		[]byte("int other(void);\nint main(void) { return other(); }\n"), 0o600))
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-Wl,-soname,libmpich.so.10", filepath.Join(dir, "lib.c"), "-o", library},
		{"-fPIE", "-pie", filepath.Join(dir, "main.c"), library, "-Wl,-rpath," + dir, "-o", program},
	} {
		_, stderr, code := run(t, nil, "gcc", args...)
		require.Equal(t, 0, code, stderr)
	}
	const said = "other is linked with another MPI (libmpich.so.10): each of its ranks is alone"
	_, stderr, code := run(t, nil, tool("mpiexec"), "-n", "2", program, ":", "-n", "1", program)
	require.Equal(t, 0, code, stderr)
	require.Equal(t, 1, strings.Count(stderr, said), stderr)
	_, stderr, _ = run(t, nil, tool("mpiexec"), "-n", "1", program)
	require.Empty(t, stderr)

	_, stderr, code = run(t, []string{"OMPI_COMM_WORLD_SIZE=3", "OMPI_COMM_WORLD_RANK=0"}, build(t, "ring.c"))
	require.Equal(t, 0, code, stderr)
	require.Contains(t, stderr, "another launcher has started this program (OMPI_COMM_WORLD_SIZE=3)")
}

// valgrind finds what a program does wrong, and says nothing of the runtime of Go. pvasrun takes classic processes for
// it by itself.
func TestValgrind(t *testing.T) {
	needs(t, "valgrind")
	program := build(t, "valgrind.c", "-g")
	for _, wrong := range []bool{false, true} {
		args := []string{"-n", "2", "-x", "GODEBUG=cpu.rdtscp=off", "valgrind", "--error-exitcode=9",
			"--leak-check=full", "--suppressions=" + filepath.Join(installed, "lib/valgrind.supp"), program}
		if wrong {
			args = append(args, "wrong")
		}
		_, stderr, code := run(t, nil, tool("mpiexec"), args...)
		require.Equal(t, map[bool]int{false: 0, true: 9}[wrong], code, stderr)
		require.Equal(t, wrong, strings.Contains(stderr, "Invalid write of size 1"), stderr)
		require.Equal(t, wrong, strings.Contains(stderr, "main (valgrind.c:21)"), stderr)
	}
}
