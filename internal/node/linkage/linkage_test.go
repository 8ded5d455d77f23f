package linkage

import (
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A workshop builds small libraries and programs.
type workshop struct {
	testing.TB
	dir string
}

func newWorkshop(t *testing.T) workshop {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		require.Empty(t, os.Getenv("CI"), "CI must have gcc")
		t.Skip("gcc is not installed")
	}
	t.Setenv("LD_LIBRARY_PATH", "")
	t.Setenv("LD_PRELOAD", "")
	return workshop{t, t.TempDir()}
}

// path is that of a file of the workshop.
func (w workshop) path(name string) string { return filepath.Join(w.dir, name) }

// gcc compiles a text to a file.
func (w workshop) gcc(name, text string, flags ...string) string {
	w.Helper()
	source := w.path(strings.ReplaceAll(name, "/", "-") + ".c")
	require.NoError(w, os.WriteFile(source, []byte(text), 0o600))
	require.NoError(w, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	// Libraries stay that nothing is used of, and the program's folders come first if it says so by DT_RPATH.
	args := append([]string{source, "-o", w.path(name), "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"}, flags...)
	out, err := exec.Command("gcc", args...).CombinedOutput()
	require.NoError(w, err, "%s", out)
	return w.path(name)
}

// library makes one with the functions of a text.
func (w workshop) library(name, text string, flags ...string) string {
	w.Helper()
	return w.gcc(name, text, append([]string{"-shared", "-fPIC", "-Wl,-soname," + filepath.Base(name)}, flags...)...)
}

const (
	version   = 7 // of the root block
	ofVersion = Mark + "=7"
	open      = "int MPI_Init(void) { return 0; }"
	calls     = "int MPI_Init(void); int main(void) { return MPI_Init(); }"
)

// installation makes one whose library has a mark: a symbol and its value.
func (w workshop) installation(name, mark string) Installation {
	w.Helper()
	w.library(name+"/lib/libmpi.so.40", open, "-Wl,--defsym="+mark)
	w.library(name+"/lib/libmpi_abi.so.1", open)
	w.library(name+"/lib/libmpi.so.12", open, "-Wl,--defsym="+mark)
	require.NoError(w, os.Symlink(MPICH, w.path(name+"/lib/libmpich.so.12")))
	w.finder(name)
	return Installation(w.path(name))
}

// finder makes that of an installation.
func (w workshop) finder(name string) {
	w.Helper()
	text, err := os.ReadFile("../../../cmd/libmpi/finder/finder.c")
	require.NoError(w, err)
	w.gcc(name+"/lib/"+Finder, string(text), FinderFlags()...)
}

// ask is what the launcher does with a program.
func ask(path string, in Installation) (*Program, error) {
	env := os.Environ()
	p := Prepare(path, env, in)
	return p, p.Ask(env, version)
}

// A program that names the library, itself or through another one, or is a script of one that does, gets ours before
// any other.
func TestProgramsOfOpenMPIAreServed(t *testing.T) {
	w := newWorkshop(t)
	in := w.installation("ours", ofVersion)
	theirs := w.library("theirs/libmpi.so.40", open)
	through := w.library("libphysics.so.0", "int physics(void) { return 0; }", theirs)
	direct := w.gcc("direct", calls, "-fPIE", "-pie", theirs)
	link := []string{"-fPIE", "-pie", "-L" + w.dir, "-Wl,-rpath," + w.dir, "-Wl,-rpath-link," + w.path("theirs")}
	indirect := w.gcc("indirect", "int main(void) { return 0; }", append(link, through)...)
	script := w.path("script")
	require.NoError(t, os.WriteFile(script, []byte("#!/usr/bin/env -S direct -x\n"), 0o755))
	t.Setenv("PATH", w.dir+":"+os.Getenv("PATH"))
	t.Setenv("LD_LIBRARY_PATH", w.path("theirs"))
	for program, asks := range map[string]string{direct: "direct", indirect: "libphysics.so.0", script: "direct"} {
		p, err := ask(program, in)
		require.NoError(t, err, program)
		require.Equal(t, OpenMPI, p.MPI, program)
		require.Equal(t, asks, p.For)
		require.Equal(t, in.file(OpenMPI), p.Library)
		require.Equal(t, []string{"LD_AUDIT=" + in.file(Finder)}, p.Set)
		require.Empty(t, p.Remark())
		require.True(t, program == script || Asks(program))
		require.NoError(t, (&exec.Cmd{Path: direct, Env: p.Env(os.Environ())}).Run())
	}
}

// MPICH's library has two names, and its kin have that for Fortran besides. What ours does not serve stays.
func TestProgramsOfMPICHAreServed(t *testing.T) {
	w := newWorkshop(t)
	in := w.installation("ours", ofVersion)
	mpich := w.library("theirs/libmpich.so.12", open)
	fortran := w.library("theirs/libmpichfort.so.12", "void hello_(void) {}", mpich)
	t.Setenv("LD_LIBRARY_PATH", w.path("theirs"))
	for _, libraries := range [][]string{{mpich}, {w.library("theirs/libmpi.so.12", open)}, {fortran, mpich}} {
		program := w.gcc("program", calls, append([]string{"-fPIE", "-pie"}, libraries...)...)
		p, err := ask(program, "")
		require.NoError(t, err)
		require.Contains(t, p.Remark(), "is linked with MPICH (libmpi")
		p, err = ask(program, in)
		require.NoError(t, err)
		require.Equal(t, []string{MPICH, in.file(MPICH), ""}, []string{p.MPI, p.Library, p.Remark()})
		require.True(t, Asks(program))
		require.NoError(t, (&exec.Cmd{Path: program, Env: p.Env(os.Environ())}).Run())
	}
	require.Equal(t, "MPICH", Implementation("libmpich.so.12"))
}

// Our library is that for Fortran, too, by a link: the dynamic linker lists it by that name alone.
func TestProgramsInFortranAreServed(t *testing.T) {
	w := newWorkshop(t)
	in := w.installation("ours", ofVersion)
	require.NoError(t, os.Symlink(OpenMPI, in.file("libmpi_mpifh.so.40")))
	theirs := w.library("theirs/libmpi.so.40", open)
	fortran := w.library("theirs/libmpi_mpifh.so.40", "void hello_(void) {}", theirs)
	t.Setenv("LD_LIBRARY_PATH", w.path("theirs"))
	for _, libraries := range [][]string{{fortran, theirs}, {fortran}} {
		program := w.gcc("program", "void hello_(void); int main(void) { hello_(); return 0; }",
			append([]string{"-fPIE", "-pie"}, libraries...)...)
		p, err := ask(program, in)
		require.NoError(t, err)
		require.Equal(t, []string{OpenMPI, in.file(OpenMPI), "program"}, []string{p.MPI, p.Library, p.For})
		require.Empty(t, p.Remark())
	}
}

// What stands in the way is said in a line.
func TestWhatCannotBeServed(t *testing.T) {
	w := newWorkshop(t)
	in := w.installation("ours", ofVersion)
	old := w.installation("old", Mark+"=6")
	foreign := w.installation("foreign", "other=7")
	theirs := w.library("theirs/libmpi.so.40", open)
	mpich := w.library("theirs/libmpich.so.10", open)
	standard := in.file("libmpi_abi.so.1")
	program := w.gcc("program", calls, "-fPIE", "-pie", theirs)
	more := w.gcc("more", "int MPIX_Fly(void); int main(void) { return MPIX_Fly(); }", "-fPIE", "-pie",
		w.library("new/libmpi.so.40", open+" int MPIX_Fly(void) { return 0; }"))
	two := w.gcc("two", calls, "-fPIE", "-pie", theirs, w.library("libboth.so", "int x;", standard),
		"-Wl,-rpath,"+w.dir)
	ofMPICH := w.gcc("ofMPICH", calls, "-fPIE", "-pie", w.library("theirs/libmpich.so.12", open))
	of := w.gcc("of", calls, "-fPIE", "-pie", mpich)
	t.Setenv("LD_LIBRARY_PATH", w.path("theirs")+":"+in.Lib())
	for _, c := range []struct {
		program     string
		in          Installation
		fails, says string
	}{
		{program, "", "", "is linked with Open MPI (libmpi.so.40), and each of its ranks is alone: pvasrun install"},
		{ofMPICH, old, "old/lib/libmpi.so.12 is of another version of pvasrun: repeat pvasrun install-mpi", ""},
		{program, old, "old/lib/libmpi.so.40 is of another version of pvasrun: repeat pvasrun install-mpi", ""},
		{program, foreign, "foreign/lib/libmpi.so.40 is not the library of pvasrun: repeat", ""},
		{more, in, "", "calls MPIX_Fly, which our libmpi.so.40 has not: a rank that calls it ends"},
		{two, in, "it would load two MPI libraries, libmpi.so.40 for two and libmpi_abi.so.1 for libboth.so", ""},
		{of, in, "", "is linked with another MPI (libmpich.so.10): each of its ranks is alone"},
		{of, "", "", "is linked with another MPI (libmpich.so.10): each of its ranks is alone"},
	} {
		p, err := ask(c.program, c.in)
		if c.fails != "" {
			require.ErrorContains(t, err, c.fails)
			require.NotContains(t, err.Error(), "\n")
			continue
		}
		require.NoError(t, err)
		require.Contains(t, p.Remark(), c.says)
	}
}

// A program that finds our library by itself, in a folder that pvasrun does not look into, is served.
func TestOursByOtherWays(t *testing.T) {
	w := newWorkshop(t)
	in := w.installation("ours", ofVersion)
	require.NoError(t, os.Symlink("ours", w.path("link")))
	old := w.installation("old", Mark+"=6")
	program := w.gcc("program", calls, "-fPIE", "-pie", w.library("theirs/libmpi.so.40", open))
	mpich := w.gcc("mpich", calls, "-fPIE", "-pie", w.library("theirs/libmpich.so.12", open))
	rpath := w.gcc("rpath", calls, "-fPIE", "-pie", w.path("theirs/libmpi.so.40"), "-Wl,-rpath,$ORIGIN/ours/lib")
	t.Chdir(w.dir)
	for _, c := range []struct{ program, path, library string }{
		{program, in.Lib(), in.file(OpenMPI)}, {program, in.Lib() + "/", in.file(OpenMPI)},
		{program, "ours/lib", in.file(OpenMPI)}, {mpich, in.Lib(), in.file(MPICH)}, {rpath, "", in.file(OpenMPI)},
		{mpich, w.path("link/lib"), w.path("link/lib/" + MPICH)},
	} {
		t.Setenv("LD_LIBRARY_PATH", c.path)
		p, err := ask(c.program, "")
		require.NoError(t, err)
		require.Equal(t, []string{"", c.library}, []string{p.Remark(), p.Library}, c)
		require.Empty(t, Alone(c.program, os.Environ(), ""), c)
		require.Empty(t, Alone(c.program, os.Environ(), old), c)
	}
	t.Setenv("LD_LIBRARY_PATH", old.Lib())
	_, err := ask(program, "")
	require.ErrorContains(t, err, "old/lib/libmpi.so.40 is of another version of pvasrun: repeat pvasrun install-mpi")
	t.Setenv("LD_LIBRARY_PATH", w.path("theirs"))
	p, err := ask(program, "")
	require.NoError(t, err)
	require.Contains(t, p.Remark(), "from a DIR of its own DIR/bin/mpiexec starts them")
}

// The installation that this program is of comes first, then those of PATH, then the one that needs no name.
func TestFind(t *testing.T) {
	w := newWorkshop(t)
	t.Setenv("XDG_DATA_HOME", w.path("data"))
	t.Setenv("PATH", w.path("other/bin")+":"+w.path("ours/bin")+":.:"+os.Getenv("PATH"))
	usual, err := Default()
	require.NoError(t, err)
	require.Equal(t, w.path("data/gopvas/mpi"), usual)
	require.Empty(t, Find())
	w.installation("data/gopvas/mpi", ofVersion)
	require.Equal(t, Installation(usual), Find())
	w.library("other/lib/libmpi.so.40", open) // of a distribution
	in := w.installation("ours", ofVersion)
	require.Equal(t, in, Find())
}

func TestParseList(t *testing.T) {
	list := "\tlinux-vdso.so.1 (0x00007ffc)\n\tliba.so => /lib/a b/liba.so (0x00007f)\n\t/lib64/ld.so " +
		"(0x7)\n\tlibm.so => not found\n\t/opt/libx.so (0x1)\n"
	require.Equal(t, []Library{{"liba.so", "/lib/a b/liba.so"}, {"libm.so", ""}, {"libx.so", "/opt/libx.so"}},
		parseList([]byte(list), "/lib64/ld.so"))
}

func FuzzParseList(f *testing.F) {
	f.Add([]byte("\tliba.so => /lib/liba.so (0x1)\n"))
	f.Fuzz(func(t *testing.T, list []byte) { parseList(list, "/lib64/ld.so") })
}

// A program runs without its sections, which the dynamic linker does not read: it is served, too.
func TestProgramsWithoutSectionsAreServed(t *testing.T) {
	w := newWorkshop(t)
	in := w.installation("ours", "gopvas_root_block=7")
	program := w.gcc("program", calls, "-fPIE", "-pie", w.library("theirs/libmpi.so.40", open))
	whole, err := readBinary(program)
	require.NoError(t, err)
	info, err := os.Stat(program)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(program, info.Size()-100))
	part, err := readBinary(program)
	require.NoError(t, err)
	require.Equal(t, whole, part)
	require.Equal(t, []string{OpenMPI, "libc.so.6"}, part.needed)
	p, err := ask(program, in)
	require.NoError(t, err)
	require.Equal(t, in.file(OpenMPI), p.Library)
	require.NoError(t, (&exec.Cmd{Path: program, Env: p.Env(os.Environ())}).Run())
}

// A program that another one starts has the variables that this one gives it.
func TestAloneBehindAWrapper(t *testing.T) {
	w := newWorkshop(t)
	in := w.installation("ours", ofVersion)
	theirs := w.library("theirs/libmpi.so.40", open)
	program := w.gcc("program", calls, "-fPIE", "-pie", theirs)
	served, theirsFirst := []string{"LD_AUDIT=" + in.file(Finder)}, []string{"LD_LIBRARY_PATH=" + w.path("theirs")}
	require.Empty(t, Alone(program, append(served, theirsFirst...), in))
	require.Equal(t, "would load "+theirs+", by the variables that it is started with, and each of its ranks be "+
		"alone: have LD_AUDIT name "+in.file(Finder), Alone(program, theirsFirst, in))
	require.Contains(t, Alone(program, theirsFirst, ""), "pvasrun install-mpi installs")
	require.Empty(t, Alone("/bin/true", nil, in))
}

// What is no file is none of an ELF program, nor of a script: to open a pipe would wait for its writer.
func TestPipesAreNotWaitedFor(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o755))
	require.Empty(t, StartedBy(pipe))
	require.False(t, Asks(pipe))
	p, err := ask(pipe, "")
	require.NoError(t, err)
	require.Empty(t, p.MPI)
}

// What no kernel executes is told apart from what one may.
func TestCheck(t *testing.T) {
	w := newWorkshop(t)
	program := w.gcc("program", "int main(void) { return 0; }")
	file, err := os.ReadFile(program)
	require.NoError(t, err)
	const shorter, headers, header, offset = "less than its headers tell", 64, 56, 8 // of 64-bit files
	beyond := slices.Clone(file)
	for at := headers; beyond[at] != byte(elf.PT_LOAD); at += header {
		copy(beyond[at+header+offset:], "\xff\xff\xff\xff\xff\xff\xff\x7f")
	}
	for name, want := range map[string]string{
		program: "", "/bin/sh": "",
		w.script("script", "#!/bin/sh\n"): "", w.script("empty", ""): "neither a binary nor a script",
		w.script("text", "text\n"): "neither a binary nor a script", w.script("start", string(file[:40])): "neither",
		w.script("cut", string(file[:len(file)/8])): shorter,
		w.script("beyond", string(beyond)):          shorter,
		w.gcc("object.o", calls, "-c"):              "an object file",
		w.library("lib.so", open):                   "it is a library",
		w.path("nothing"):                           "no such file",
	} {
		err := Check(name, os.Environ())
		length := CheckLength(name, os.Environ())
		require.Equal(t, want == shorter, length != nil, name)
		if want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, want, name)
	}
}

func FuzzReadBinary(f *testing.F) {
	file, err := os.ReadFile("/bin/true")
	require.NoError(f, err)
	f.Add(slices.Clone(file))
	const headers, header, length = 64, 56, 32 // of 64-bit files
	for at := headers; at < headers+16*header; at += header {
		if file[at] == byte(elf.PT_INTERP) {
			copy(file[at+length:], "\xff\xff\xff\xff\xff\xff\xff\x7f")
		}
	}
	f.Add(file)
	f.Fuzz(func(t *testing.T, file []byte) {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, file, 0o600))
		_, _ = readBinary(path)
		_, _ = Check(path, nil), CheckLength(path, nil)
	})
}

// A library of ours that the dynamic linker cannot load is named, not the linker.
func TestBrokenInstallation(t *testing.T) {
	w := newWorkshop(t)
	in := w.installation("ours", "gopvas_root_block=7")
	program := w.gcc("program", calls, "-fPIE", "-pie", w.library("theirs/libmpi.so.40", open))
	for _, size := range []int64{5000, 100, 0} {
		require.NoError(t, os.Truncate(in.file(OpenMPI), size))
		_, err := ask(program, in)
		require.ErrorContains(t, err, in.file(OpenMPI)+": ")
		require.ErrorContains(t, err, "repeat pvasrun install-mpi "+string(in))
		require.NotContains(t, err.Error(), "\n")
	}
}

// A program that may be executed and not read has our library, too.
func TestUnreadableProgramsAreServed(t *testing.T) {
	w := newWorkshop(t)
	in := w.installation("ours", "gopvas_root_block=7")
	program := w.gcc("program", calls, "-fPIE", "-pie", w.library("theirs/libmpi.so.40", open))
	require.NoError(t, os.Chmod(program, 0o111))
	require.NoError(t, os.Chmod(filepath.Dir(w.dir), 0o755))
	if os.Geteuid() == 0 { // who may read all files
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		require.NoError(t, syscall.Setfsuid(65534))
		defer func() { require.NoError(t, syscall.Setfsuid(0)) }()
	}
	_, err := readBinary(program)
	require.ErrorIs(t, err, fs.ErrPermission)
	p, err := ask(program, in)
	require.NoError(t, err)
	require.Equal(t, []string{"LD_AUDIT=" + in.file(Finder)}, p.Set)
}

// TestCoresInC: the library, and the finder, look for the same names in their process.
func TestCoresInC(t *testing.T) {
	text, err := os.ReadFile("../../../cmd/libmpi/alone.c")
	require.NoError(t, err)
	list := `[] = {"` + strings.Join(cores, `", "`) + `"};`
	require.Contains(t, string(text), "names"+list)
	text, err = os.ReadFile("../../../cmd/libmpi/finder/finder.c")
	require.NoError(t, err)
	require.Contains(t, string(text), "cores"+list)
}
