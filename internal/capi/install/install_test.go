package install

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

func TestMain(m *testing.M) {
	testkit.TakeSignals()
	os.Exit(m.Run())
}

// withoutGo has a go command in PATH that fails, and compilers that do nothing.
func withoutGo(t *testing.T) {
	tools := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(tools, "go"), []byte("#!/bin/sh\nexit 1\n"), 0o755))
	t.Setenv("PATH", tools+":"+os.Getenv("PATH"))
	t.Setenv("CC", "true")
	t.Setenv("FC", "true")
}

func quiet(string) {}

func installInto(dir string) error {
	return Install(context.Background(), Config{Dir: dir, Stderr: io.Discard, Step: quiet, Missing: quiet})
}

// An installation that fails leaves nothing, but for what was there.
func TestFailedInstall(t *testing.T) {
	withoutGo(t)
	top := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(top, "there", "bin"), 0o755))
	for _, dir := range []string{"new/mpi", "there"} {
		require.ErrorContains(t, installInto(filepath.Join(top, dir)), "build the library")
	}
	var left []string
	require.NoError(t, filepath.WalkDir(top, func(path string, _ os.DirEntry, err error) error {
		left = append(left, path[len(top):])
		return err
	}))
	require.Equal(t, []string{"", "/there", "/there/bin"}, left)
}

// An installation that fails leaves an earlier one whole.
func TestFailedInstallOverAnother(t *testing.T) {
	withoutGo(t)
	dir := t.TempDir()
	for _, name := range []string{"bin/mpicc", "lib/libmpi.so", "include/mpi.h"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("earlier, "+written), 0o644))
	}
	tool, err := exec.LookPath("go")
	require.NoError(t, err)
	const once = "#!/bin/sh\n[ -e $0.first ] && exit 1\necho > $0.first\n" +
		"while [ \"$1\" != -o ]; do shift; done\necho new > \"$2\"\n"
	require.NoError(t, os.WriteFile(tool, []byte(once), 0o755))
	require.ErrorContains(t, installInto(dir), "build the library")
	require.FileExists(t, tool+".first")
	for _, name := range []string{"bin/mpicc", "lib/libmpi.so", "include/mpi.h"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, "earlier, "+written, string(text), name)
	}
	left, err := os.ReadDir(filepath.Join(dir, "lib"))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// An installation does not replace files of another MPI.
func TestInstallOverAnotherMPI(t *testing.T) {
	withoutGo(t)
	dir := t.TempDir()
	header := filepath.Join(dir, "include", "mpi.h")
	require.NoError(t, os.Mkdir(filepath.Dir(header), 0o755))
	require.NoError(t, os.WriteFile(header, []byte("another's"), 0o644))
	err := installInto(dir)
	require.ErrorAs(t, err, new(FolderError))
	require.ErrorContains(t, err, header+" is there, and is not of pvasrun: name another folder")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)

	own := filepath.Join(dir, "lib", "pkgconfig", "gopvas.pc") // that of pvasrun, whose mpicc was removed
	require.NoError(t, os.MkdirAll(filepath.Dir(own), 0o755))
	require.NoError(t, os.WriteFile(own, nil, 0o644))
	require.NotErrorAs(t, installInto(dir), new(FolderError))
}

// One that a signal ends while it builds leaves nothing, either.
func TestCanceledInstall(t *testing.T) {
	withoutGo(t)
	begun := filepath.Join(t.TempDir(), "begun")
	stuck := fmt.Sprintf(
		"#!/bin/sh\ntrap 'exit 1' INT\necho > $GOTMPDIR/work\necho > %s\nwhile :; do sleep 0.01; done\n", begun)
	tool, err := exec.LookPath("go")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(tool, []byte(stuck), 0o755))
	dir := filepath.Join(t.TempDir(), "mpi")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		assert.Eventually(t, func() bool { _, err := os.Stat(begun); return err == nil }, time.Minute, time.Millisecond)
	}()
	require.ErrorContains(t, Install(ctx, Config{Dir: dir, Stderr: io.Discard, Step: quiet, Missing: quiet}),
		"build the library")
	require.NoDirExists(t, dir)
}

// What stands in the way of a folder is said in one line, before anything is built, and nothing is left.
func TestFolderThatCannotBeMade(t *testing.T) {
	withoutGo(t)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("file", nil, 0o644))
	require.NoError(t, os.Mkdir("taken", 0o755))
	require.NoError(t, os.WriteFile("taken/lib", nil, 0o644))
	require.NoError(t, os.Symlink("nowhere", "dangling"))
	require.NoError(t, os.Symlink("file", "tofile"))
	require.NoError(t, os.Symlink("circle", "circle"))
	require.NoError(t, os.Mkdir("closed", 0o555))
	require.NoError(t, os.MkdirAll("half/bin", 0o755))
	require.NoError(t, os.Mkdir("half/lib", 0o555))
	root := os.WriteFile("closed/probe", nil, 0o644) == nil
	if root {
		require.NoError(t, os.Remove("closed/probe"))
	}
	for dir, cause := range map[string]string{
		"":                        "its name is empty: name the folder",
		"file":                    "file is there and no folder: remove it",
		"file/mpi":                "file is there and no folder: remove it",
		"file/a/b/c":              "file is there and no folder: remove it",
		"taken":                   "taken/lib is there and no folder: remove it",
		"tofile":                  "tofile is there and no folder: remove it",
		"dangling":                "dangling is a link to nowhere, which is not there: make that folder",
		"dangling/a/b":            "dangling is a link to nowhere, which is not there: make that folder",
		"circle/mpi":              "too many levels of symbolic links",
		"/proc/mpi":               "no file can be made in /proc (no such file or directory): name another folder",
		"/proc/a/b":               "no file can be made in /proc (no such file or directory): name another folder",
		"/sys/mpi":                "mkdir /sys/mpi: ",
		"/dev/null":               "/dev/null is there and no folder",
		"a\x00b":                  "invalid argument",
		strings.Repeat("n", 1000): "file name too long",
		"closed":                  "mkdir",
		"closed/mpi":              "mkdir",
		"half":                    "no file can be made in",
	} {
		if root && (dir == "half" || strings.HasPrefix(dir, "closed")) {
			continue // root may write there
		}
		err := installInto(dir)
		require.ErrorContains(t, err, cause, dir)
		require.NotContains(t, err.Error(), "\n", dir)
	}
	left, err := filepath.Glob("*/*")
	require.NoError(t, err)
	require.Equal(t, []string{"half/bin", "half/lib", "taken/lib"}, left)
}

// What an installation has left that was killed is removed by the next one, but not while another one runs.
func TestInstallAfterOneThatWasKilled(t *testing.T) {
	withoutGo(t)
	dir := t.TempDir()
	left := filepath.Join(dir, buildPrefix+"1")
	require.NoError(t, os.MkdirAll(filepath.Join(left, "fresh"), 0o755))
	other, err := os.Open(dir)
	require.NoError(t, err)
	require.NoError(t, sys.LockFile(other))
	require.ErrorContains(t, installInto(dir), "another installation is being made there")
	require.DirExists(t, left)
	require.NoError(t, other.Close())
	require.ErrorContains(t, installInto(dir), "build the library")
	require.NoDirExists(t, left)
}

// What an installation has written is removed again, and nothing else.
func TestUninstall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mpi")
	require.ErrorAs(t, Uninstall(dir), new(FolderError))
	in := &installation{Config: Config{Dir: dir}, source: t.TempDir()}
	for _, folder := range folders {
		require.NoError(t, os.MkdirAll(in.path(folder), 0o755))
		require.NoError(t, os.MkdirAll(in.fresh(folder), 0o755))
	}
	require.NoError(t, in.write("bin/mpicc", []byte("text"), 0o755))
	require.NoError(t, in.link("bin/mpicxx", "mpicc"))
	require.NoError(t, in.writeList())
	require.NoError(t, in.publish())
	other := in.path("lib/other")
	require.NoError(t, os.WriteFile(other, nil, 0o644))
	require.NoError(t, Uninstall(dir))
	require.FileExists(t, other)
	require.NoDirExists(t, in.path("bin"))
	require.NoError(t, os.Remove(other))
	require.NoError(t, os.MkdirAll(in.path("lib/gopvas"), 0o755))
	require.NoError(t, os.WriteFile(in.path(listName), []byte("bin/mpicc\n../../etc\n"), 0o644))
	require.ErrorContains(t, Uninstall(dir), "names ../../etc, which is not in that folder")
	require.NoError(t, os.WriteFile(in.path(listName), []byte(listName+"\n"), 0o644))
	require.NoError(t, Uninstall(dir))
	require.NoDirExists(t, dir)
}

// The pvasrun of a package has its installation beside it, which is copied and not built.
func TestInstallFromAPackage(t *testing.T) {
	withoutGo(t)
	from := &installation{Config: Config{Dir: t.TempDir()}, source: t.TempDir()}
	for _, folder := range folders {
		require.NoError(t, os.MkdirAll(from.path(folder), 0o755))
		require.NoError(t, os.MkdirAll(from.fresh(folder), 0o755))
	}
	require.NoError(t, from.write("bin/pvasrun", []byte("text"), 0o755))
	require.NoError(t, from.write("bin/mpicc", []byte("text, "+written), 0o755))
	require.NoError(t, from.link("bin/mpirun", "pvasrun"))
	require.NoError(t, from.writeList())
	require.NoError(t, from.publish())
	pvasrun := from.path("bin/pvasrun")
	require.Equal(t, from.Dir, Beside(pvasrun))
	require.Empty(t, Beside(filepath.Join(t.TempDir(), "bin", "pvasrun")))
	dir := filepath.Join(t.TempDir(), "copy")
	for range 2 {
		require.NoError(t, Install(t.Context(), Config{Dir: dir, From: from.Dir, Step: quiet, Missing: quiet}))
		to, err := os.Readlink(filepath.Join(dir, "bin", "mpirun"))
		require.NoError(t, err)
		require.Equal(t, "pvasrun", to)
		require.Equal(t, dir, Beside(filepath.Join(dir, "bin", "pvasrun")))
	}
	require.NoError(t, Uninstall(dir))
	require.NoDirExists(t, dir)
}

// Ranks in Python run that of the distribution, whatever is first in PATH, unless another one is named.
func TestPythonOfTheDistribution(t *testing.T) {
	mine := filepath.Join(t.TempDir(), "python3-config")
	require.NoError(t, os.WriteFile(mine, []byte("#!/bin/sh\n"), 0o755))
	t.Setenv("PATH", filepath.Dir(mine)+":"+os.Getenv("PATH"))
	want := mine
	if _, err := os.Stat("/usr/bin/python3-config"); err == nil {
		want = "/usr/bin/python3-config"
	}
	t.Setenv("PYTHON_CONFIG", "")
	config, err := pythonConfig()
	require.NoError(t, err)
	require.Equal(t, want, config)
	for name, want := range map[string]string{mine: mine, "python3-config": mine} {
		t.Setenv("PYTHON_CONFIG", name)
		config, err = pythonConfig()
		require.NoError(t, err)
		require.Equal(t, want, config)
	}
	t.Setenv("PYTHON_CONFIG", mine+"-nothing")
	_, err = pythonConfig()
	require.ErrorIs(t, err, fs.ErrNotExist)
}
