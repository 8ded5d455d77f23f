package linkage

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Where the program itself says by DT_RPATH where its library is, it gets ours.
func TestRPathIsOvercome(t *testing.T) {
	w := newWorkshop(t)
	in := w.installation("ours", ofVersion)
	theirs := w.library("theirs/libmpi.so.40", open)
	program := w.gcc("program", calls, "-fPIE", "-pie", "-Wl,--disable-new-dtags", "-Wl,-rpath,"+w.path("theirs"),
		theirs)
	t.Setenv("LD_PRELOAD", "libm.so.6")
	p, err := ask(program, in)
	require.NoError(t, err)
	require.Equal(t, in.file(OpenMPI), p.Library)
}

// Programs that find our library of the standard ABI, and those without a dynamic linker, are left alone. Others may
// load a library later, or start what does.
func TestWhatIsLeftAlone(t *testing.T) {
	w := newWorkshop(t)
	in := w.installation("ours", ofVersion)
	other := w.library("other/libmpi_abi.so.1", open)
	text := w.path("text")
	require.NoError(t, os.WriteFile(text, []byte("no program"), 0o755))
	own := in.file("libmpi_abi.so.1")
	finds := w.gcc("finds", calls, "-fPIE", "-pie", own, "-Wl,-rpath,$ORIGIN/ours/lib")
	require.NoError(t, os.Symlink(finds, w.path("link")))
	nothing := w.gcc("program", "int main(void) { return 0; }", "-fPIE", "-pie")
	for _, program := range []string{finds, w.path("link"), nothing, text, w.path("nothing")} {
		p, err := ask(program, in)
		require.NoError(t, err)
		require.Empty(t, p.Set, program)
		require.Empty(t, p.Remark())
	}
	set := []string{"LD_AUDIT=" + in.file(Finder)}
	lost := w.gcc("lost", calls, "-fPIE", "-pie", own)
	elsewhere := w.gcc("elsewhere", calls, "-fPIE", "-pie", other, "-Wl,-rpath,"+w.path("other"))
	loads := w.gcc("loads", "#include <dlfcn.h>\nint main(void) { return !dlopen(0, RTLD_NOW); }", "-fPIE", "-pie")
	for _, program := range []string{"/bin/sh", lost, elsewhere, loads} {
		p, err := ask(program, in)
		require.NoError(t, err)
		require.Equal(t, set, p.Set, program)
	}
	for _, program := range []string{finds, lost, elsewhere} {
		p := Prepare(program, os.Environ(), in)
		require.NoError(t, p.Inspect(os.Environ(), version))
		require.Equal(t, own, p.Library, program)
	}
	t.Setenv("LD_LIBRARY_PATH", w.path("other"))
	p, err := ask(finds, in)
	require.NoError(t, err)
	require.Equal(t, set, p.Set)
	require.True(t, Asks(finds))
	require.False(t, Asks("/bin/sh"))
	require.False(t, Asks(text))
}

// A library of LD_PRELOAD comes first in every program. It is ours, too, and named with the variable if the program
// asks for the other one.
func TestPreloadedMPI(t *testing.T) {
	w := newWorkshop(t)
	in := w.installation("ours", "gopvas_root_block=7")
	theirs := w.library("theirs/libmpi.so.40", open)
	direct := w.gcc("direct", calls, "-fPIE", "-pie", theirs)
	standard := w.gcc("standard", calls, "-fPIE", "-pie", in.file("libmpi_abi.so.1"))
	for _, preloaded := range []string{theirs, in.file(OpenMPI), "libmpi.so.40"} {
		t.Setenv("LD_PRELOAD", preloaded)
		for _, program := range []string{direct, "/bin/true"} {
			p, err := ask(program, in)
			require.NoError(t, err)
			require.Equal(t, in.file(OpenMPI), p.Library)
		}
		_, err := ask(standard, in)
		require.EqualError(t, err, "it would load two MPI libraries, one of them "+in.file(OpenMPI)+
			": take it out of LD_PRELOAD")
	}
	t.Setenv("LD_PRELOAD", "libm.so.6")
	for _, program := range []string{direct, standard, "/bin/true"} {
		_, err := ask(program, in)
		require.NoError(t, err)
	}
}

// Where there is nothing that finds our library, a program that gets another one is refused.
func TestInstallationWithoutFinder(t *testing.T) {
	w := newWorkshop(t)
	in := w.installation("ours", ofVersion)
	theirs := w.library("theirs/libmpi.so.40", open)
	program := w.gcc("program", calls, "-fPIE", "-pie", theirs)
	t.Setenv("LD_LIBRARY_PATH", w.path("theirs"))
	require.NoError(t, os.Remove(in.file(Finder)))
	_, err := ask(program, in)
	require.EqualError(t, err, "it finds "+theirs+", and "+in.file(Finder)+
		" is not there: repeat pvasrun install-mpi "+string(in))
}
