package launcher

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/launcher/internal/launchertest"
	"github.com/gopvas/gopvas/launcher/internal/program"
	"github.com/gopvas/gopvas/pvas"
)

// needsGo skips a test that builds programs where the go command does not even find this package: of a user without a
// build cache, or without the sources.
func needsGo(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("go", "list", ".").CombinedOutput(); err != nil {
		t.Skipf("go list: %v: %s", err, out)
	}
}

func TestGoPackageIsBuilt(t *testing.T) {
	needsGo(t)
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		for _, typed := range []string{"./testdata/ranks", "github.com/gopvas/gopvas/launcher/testdata/ranks"} {
			out := run(t,
				Job{BTL: btl,
					Apps: []App{{Program: typed, Args: []string{"args"}, N: 1},
						{Program: typed, Args: []string{"true"}, N: 1}}})
			require.NoError(t, out.err)
			require.Equal(t, fmt.Sprintf("[%q \"args\"]\n", typed), out.stdout)
		}
	})
}

// A Go package is built, position independent.
func TestPackage(t *testing.T) {
	needsGo(t)
	p, err := program.FindProgram(t.Context(), "../examples/hello", io.Discard)
	require.NoError(t, err)
	defer p.Close()
	require.Equal(t, "hello", p.Name)
	require.NoError(t, pvas.Check(p.Path))
	out := run(t, Job{Apps: []App{{Program: p.Path, N: 2}}})
	require.NoError(t, out.err)
	require.Equal(t, 2, strings.Count(out.stdout, " of 2, pid "), out.stdout)
}

func TestBuildErrors(t *testing.T) {
	needsGo(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module broken\n\ngo 1.26\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"),
		[]byte("package main\nfunc main() { undefined() }\n"), 0o600))
	t.Setenv("GOFLAGS", "")
	out := run(t, Job{Apps: []App{{Program: dir, N: 1}}})
	var program *program.Error
	require.ErrorAs(t, out.err, &program)
	require.Contains(t, out.stderr, "undefined: undefined")
	require.Equal(t, 1, ExitCode(out.err))
}

// Where nothing can be built, it is no fault of the program.
func TestNoFolderToBuildIn(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	out := run(t, Job{Apps: []App{{Program: "./testdata/ranks", N: 1}}})
	require.ErrorContains(t, out.err, "set TMPDIR to a folder that you may write")
	require.Equal(t, 1, ExitCode(out.err))
}

// An interrupt while a program is being built ends the job before it begins.
func TestInterruptedBuild(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\nexec sleep 1000\n"), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	signals := make(chan os.Signal, 2)
	signals <- syscall.SIGUSR1
	signals <- syscall.SIGINT
	out := run(t, Job{Apps: []App{{Program: "./testdata/ranks", N: 1}}, Signals: signals})
	require.EqualError(t, out.err, "launcher: build programs: interrupted by SIGINT")
	require.Equal(t, 130, ExitCode(out.err))
}

func TestProgramErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, []byte("text"), 0o600))
	garbage := filepath.Join(dir, "garbage")
	require.NoError(t, os.WriteFile(garbage, []byte("\x7fnothing"), 0o700))
	loop := filepath.Join(dir, "loop")
	require.NoError(t, os.Symlink(loop, loop))
	pipe := filepath.Join(dir, "pipe") // to open it waits for a writer
	require.NoError(t, syscall.Mkfifo(pipe, 0o700))
	byPipe := filepath.Join(dir, "by-pipe")
	require.NoError(t, os.WriteFile(byPipe, []byte("#!"+pipe+"\n"), 0o700))
	byFolder := filepath.Join(dir, "by-folder")
	require.NoError(t, os.WriteFile(byFolder, []byte("#!"+dir+"\n"), 0o700))
	cases := []struct {
		Program, btl string
		code         int
		is           error
	}{
		{loop, btlAuto, 126, syscall.ELOOP},
		{filepath.Join(plain, "below"), btlAuto, 126, syscall.ENOTDIR},
		{filepath.Join(dir, strings.Repeat("x", 300)), btlAuto, 126, syscall.ENAMETOOLONG},
		{filepath.Join(dir, "missing"), btlAuto, 127, fs.ErrNotExist},
		{"./missing", btlSM, 127, fs.ErrNotExist},
		{"no-such-program-in-path", btlAuto, 127, fs.ErrNotExist},
		{"no/such/package", btlAuto, 127, fs.ErrNotExist},
		{plain, btlAuto, 126, fs.ErrPermission},
		{dir, btlAuto, 126, nil},
		{pipe, btlAuto, 126, fs.ErrPermission},
		{byPipe, btlAuto, 126, fs.ErrPermission},
		{byFolder, btlAuto, 126, syscall.EISDIR},
		{garbage, btlSM, 126, syscall.ENOEXEC},
		{garbage, btlAuto, 126, syscall.ENOEXEC},
		{garbage, btlPvas, 126, pvas.ErrNotELF},
	}
	for _, c := range cases {
		t.Run(filepath.Base(c.Program)+" "+c.btl, func(t *testing.T) {
			if c.btl == btlPvas && pvas.Supported() != nil {
				t.Skip(pvas.Supported())
			}
			out := run(t, Job{BTL: c.btl, Apps: []App{{Program: c.Program, N: 2}}})
			require.Error(t, out.err)
			require.Equal(t, c.code, ExitCode(out.err), out.err)
			if c.is != nil {
				require.ErrorIs(t, out.err, c.is)
			}
			if c.is == syscall.ENOEXEC {
				require.ErrorContains(t, out.err, "neither a binary of this machine nor a script")
			}
		})
	}
}

// A program whose interpreter is not there is named together with it, before
// anything else is said.
func TestMissingInterpreter(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(script, []byte("#! /no/such -x\n"), 0o700))
	binary, err := os.ReadFile("/bin/true")
	require.NoError(t, err)
	foreign := filepath.Join(t.TempDir(), "foreign")
	require.NoError(t,
		os.WriteFile(foreign, bytes.Replace(binary, []byte("/lib64/ld-linux"), []byte("/lib64/no-linux"), 1), 0o700))
	for _, btl := range []string{btlAuto, btlPvas, btlSM} {
		for path, interpreter := range map[string]string{script: "/no/such", foreign: "/lib64/no-linux-x86-64.so.2"} {
			out := run(t, Job{BTL: btl, Apps: []App{{Program: path, N: 2}}})
			require.EqualError(t, out.err, "launcher: program "+path+": its interpreter "+interpreter+
				": no such file or directory")
			require.Equal(t, 127, ExitCode(out.err))
			require.Empty(t, out.stderr)
		}
	}
}
