package launcher

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
	"github.com/gopvas/gopvas/pvas"
)

// originTree makes a folder with bin/NAME, lib/libfirst.so that needs
// lib/deep/libsecond.so, and lib/libthird.so, all found by $ORIGIN, and returns the
// path of the program.
func originTree(t *testing.T, name string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		require.Empty(t, os.Getenv("CI"), "CI must have gcc")
		t.Skip("gcc is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, sub := range []string{"bin", "lib/deep"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o700))
	}
	source, err := filepath.Abs("testdata/origin/prog.c")
	require.NoError(t, err)
	gcc := func(text string, args ...string) {
		cmd := exec.Command("gcc", append([]string{"-O1", "-fPIC", "-x", "c"}, args...)...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	gcc("int second(void) { return 2; }", "-", "-shared", "-o", "lib/deep/libsecond.so")
	gcc("int second(void); int first(void) { return second() - 1; }", "-", "-shared", "-o", "lib/libfirst.so",
		"-Llib/deep", "-lsecond", "-Wl,-rpath,$ORIGIN/deep")
	gcc("int third(void) { return 3; }", "-", "-shared", "-o", "lib/libthird.so")
	gcc("", append([]string{source, "-pie", "-o", "bin/" + name, "-Llib", "-Wl,-rpath-link,lib/deep"}, flags...)...)
	return filepath.Join(dir, "bin", name)
}

// Programs with relative run paths find their libraries, in one address space too.
func TestOrigin(t *testing.T) {
	runpath := []string{"-DFIRST=first()", "-Wl,--no-as-needed", "-lfirst"}
	for name, flags := range map[string][]string{
		"runpath":  append(runpath, "-Wl,--enable-new-dtags,-rpath,$ORIGIN/../lib"),
		"rpath":    append(runpath, "-Wl,--disable-new-dtags,-rpath,${ORIGIN}/../lib"),
		"dlopen":   {"-DFIRST=1", "-DDLOPEN"},
		"together": append(runpath, "-DDLOPEN", "-Wl,-rpath,$ORIGIN/../lib"),
	} {
		t.Run(name, func(t *testing.T) {
			path := originTree(t, name, flags...)
			t.Chdir(filepath.Dir(path))
			launchertest.EachBTL(t, func(t *testing.T, btl string) {
				want := "./" + name + " 2 1"
				if strings.Contains(strings.Join(flags, " "), "DLOPEN") {
					want += " 3"
				}
				out := run(t, Job{BTL: btl, Apps: []App{{Program: "./" + name, Args: []string{"x"}, N: 3}}})
				require.NoError(t, out.err)
				require.Equal(t, strings.Repeat(want+"\n", 3), out.stdout, out.stderr)
				require.Equal(t, btl, out.BTL.String())
			})
		})
	}
}

// LD_LIBRARY_PATH too may name the origin.
func TestOriginInTheEnvironment(t *testing.T) {
	path := originTree(t, "plain", "-DFIRST=first()", "-lfirst")
	t.Setenv("LD_LIBRARY_PATH", "$ORIGIN/../lib")
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		out := run(t, Job{BTL: btl, Apps: []App{{Program: path, N: 2}}})
		require.NoError(t, out.err)
		require.Equal(t, strings.Repeat(path+" 1 1\n", 2), out.stdout, out.stderr)
	})
}

// A dynamic linker that cannot be told the program's place is found out before the
// start: here a copy whose option has another name.
func TestOriginOfAnOldLinker(t *testing.T) {
	linker, err := os.ReadFile("/lib64/ld-linux-x86-64.so.2")
	if err != nil {
		t.Skip(err)
	}
	old := filepath.Join(t.TempDir(), "ld.so")
	require.NoError(t, os.WriteFile(old, bytes.ReplaceAll(linker, []byte("--argv0"), []byte("--argv9")), 0o700))
	path := originTree(t, "old", "-DFIRST=first()", "-lfirst", "-Wl,-rpath,$ORIGIN/../lib,--dynamic-linker="+old)
	out := run(t, Job{Apps: []App{{Program: path, N: 2}}})
	require.NoError(t, out.err)
	require.Equal(t, strings.Repeat(path+" 1 1\n", 2), out.stdout, out.stderr)
	require.Equal(t, job.BTLSM, out.BTL)
	require.Contains(t, out.Reason, pvas.ErrOrigin.Error())
	if pvas.Supported() == nil {
		out = run(t, Job{BTL: btlPvas, Apps: []App{{Program: path, N: 2}}})
		require.ErrorIs(t, out.err, pvas.ErrOrigin)
	}
}

// A program behind a symbolic link has the origin of the file.
func TestOriginBehindALink(t *testing.T) {
	path := originTree(t, "linked", "-DFIRST=first()", "-lfirst", "-Wl,-rpath,$ORIGIN/../lib")
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(path, link))
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		out := run(t, Job{BTL: btl, Apps: []App{{Program: link, N: 2}}})
		require.NoError(t, out.err)
		require.Equal(t, strings.Repeat(link+" 1 1\n", 2), out.stdout, out.stderr)
	})
}
