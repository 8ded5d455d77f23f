package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// holds reads a file and makes sure that its folder has nothing else but others.
func holds(t *testing.T, want, file string, others ...string) {
	t.Helper()
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(have))
	only(t, filepath.Dir(file), append(others, filepath.Base(file))...)
}

func only(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.ElementsMatch(t, want, names)
}

// A failed write leaves the file that was there, and nothing where none was.
func TestWriteIsWholeOrNotAtAll(t *testing.T) {
	full := errors.New("no space left on device")
	half := func(w io.Writer) error { return errors.Join(text("half")(w), full) }
	file := filepath.Join(t.TempDir(), "file")
	require.ErrorIs(t, Write(file, half), full)
	only(t, filepath.Dir(file))
	require.NoError(t, Write(file, text("old")))
	require.ErrorIs(t, Write(file, half), full)
	holds(t, "old", file)
	require.NoError(t, Write(file, text("new")))
	holds(t, "new", file)
}

// Behind a link the file is replaced, also one that is not there yet. Another name of it keeps the old text.
func TestWriteBehindLinks(t *testing.T) {
	dir := t.TempDir()
	file, link, further, other := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "further"),
		filepath.Join(dir, "other")
	require.NoError(t, os.Symlink("file", link))
	require.NoError(t, os.Symlink(link, further))
	require.NoError(t, Probe(further))
	only(t, dir, "link", "further")
	require.NoError(t, Write(further, text("one")))
	holds(t, "one", file, "link", "further")
	require.NoError(t, os.Link(file, other))
	require.NoError(t, Write(link, text("two")))
	holds(t, "two", file, "link", "further", "other")
	holds(t, "one", other, "link", "further", "file")
	for _, name := range []string{link, further} {
		at, err := os.Lstat(name)
		require.NoError(t, err)
		require.Equal(t, fs.ModeSymlink, at.Mode().Type())
	}
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink("further", link))
	require.ErrorIs(t, Write(link, text("x")), syscall.ELOOP)
}

// A file keeps its permissions. A new one has those of the process's mask.
func TestWriteKeepsPermissions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	mask := syscall.Umask(0o027)
	defer syscall.Umask(mask)
	require.NoError(t, Write(file, text("new")))
	for _, want := range []fs.FileMode{0o640, 0o606} {
		at, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, want, at.Mode().Perm())
		require.NoError(t, os.Chmod(file, 0o606))
		require.NoError(t, Write(file, text("newer")))
	}
}

// The longest name can be replaced. A longer one is refused before it is written.
func TestLongNames(t *testing.T) {
	longest := filepath.Join(t.TempDir(), strings.Repeat("x", 255))
	require.NoError(t, Probe(longest))
	require.NoError(t, Write(longest, text("x")))
	require.ErrorIs(t, Probe(longest+"x"), syscall.ENAMETOOLONG)
}

// mountedEnv makes the test binary write to a file on which another is mounted.
// readOnlyEnv says that it is mounted so that it cannot be written.
const (
	mountedEnv  = "ATOMICFILE_TEST_MOUNTED"
	readOnlyEnv = "ATOMICFILE_TEST_READ_ONLY"
)

// A file on which another is mounted is overwritten, and has the new text in both places. If it cannot be
// written, that is found out before.
func TestMountedFile(t *testing.T) {
	if file := os.Getenv(mountedEnv); file != "" {
		if os.Getenv(readOnlyEnv) != "" {
			require.ErrorIs(t, Probe(file), syscall.EROFS)
			require.ErrorIs(t, Write(file, text("lost")), syscall.EROFS)
			only(t, filepath.Dir(file), filepath.Base(file))
			return
		}
		require.NoError(t, Probe(file))
		require.NoError(t, Write(file, text("new")))
		holds(t, "new", file)
		return
	}
	outer, inner := filepath.Join(t.TempDir(), "outer"), filepath.Join(t.TempDir(), "inner")
	require.NoError(t, os.WriteFile(outer, []byte("a longer old text"), 0o600))
	require.NoError(t, os.WriteFile(inner, nil, 0o600))
	mount := exec.Command("unshare", "--mount", "mount", "--bind", outer, inner)
	if out, err := mount.CombinedOutput(); err != nil {
		t.Skipf("no file can be mounted: %v: %s", err, out)
	}
	inMount := func(mount string, env ...string) {
		t.Helper()
		cmd := exec.Command("unshare", "--mount", "sh", "-c", mount+` && exec "$2" -test.run=^TestMountedFile$`,
			outer, inner, os.Args[0])
		cmd.Env = append(append(os.Environ(), mountedEnv+"="+inner), env...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		holds(t, "new", outer)
	}
	inMount(`mount --bind "$0" "$1"`)
	inMount(`mount --bind "$0" "$1" && mount -o remount,bind,ro "$1"`, readOnlyEnv+"=1")
}

// What is no file is not replaced, and neither is a folder that is missing made. Errors have the name of the file.
func TestOtherThanFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, missing := filepath.Join(dir, "pipe"), filepath.Join(dir, "missing", "file")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for path, says := range map[string]string{
		dir: "is a directory", pipe: "is no regular file", os.DevNull: "is no regular file",
		filepath.Dir(missing) + "/file": "no such file",
	} {
		require.ErrorContains(t, Probe(path), says)
		require.ErrorContains(t, Write(path, text("x")), says)
	}
	only(t, dir, "pipe")
}

// A folder that cannot be written is found out before, with the name of the file.
func TestFolderIsClosed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, Write(file, text("old")))
	require.NoError(t, os.Chmod(filepath.Dir(file), 0o500))
	defer func() { require.NoError(t, os.Chmod(filepath.Dir(file), 0o700)) }()
	for _, err := range []error{Probe(file), Write(file, text("new"))} {
		require.ErrorContains(t, err, "write "+file+": permission denied")
	}
	holds(t, "old", file)
}
