package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/node/gocmd"
	"github.com/gopvas/gopvas/internal/node/linkage"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// A Program is an App's program, ready to be started.
type Program struct {
	Path string   // the argument of execve; good in every process of the user
	Name string   // base name, for comm and messages
	File *os.File // a program built for this job, in memory; nil for a binary

	// The folder of the MPI libraries, for a program that starts its ranks in containers; nil for others.
	Libraries *os.File

	Remark string // what the user is told of it before its ranks start; "": nothing
}

func (p *Program) Close() {
	for _, f := range []*os.File{p.File, p.Libraries} {
		if f != nil {
			f.Close()
		}
	}
}

// FindProgram turns the user's word into a program. A directory is a Go
// package. Anything else is a binary by the rules of the shell; a word that is no
// binary but looks like an import path is tried as a package.
func FindProgram(ctx context.Context, typed string, stderr io.Writer) (*Program, error) {
	if info, err := os.Stat(typed); err == nil && info.IsDir() && strings.ContainsRune(typed, '/') ||
		typed == "." || typed == ".." {
		if !hasGoFile(typed) {
			return nil, &Error{typed, errors.New("it is a directory without a Go package: name a program")}
		}
		return buildProgram(ctx, typed, typed, ".", stderr)
	}
	p, err := FindBinary(typed)
	if errors.Is(err, fs.ErrNotExist) && looksLikeImportPath(typed) && goResolves(ctx, typed) {
		return buildProgram(ctx, typed, "", typed, stderr)
	}
	return p, err
}

// FindBinary is FindProgram for what needs not be built.
func FindBinary(typed string) (*Program, error) {
	path, err := exec.LookPath(typed)
	if err == nil || errors.Is(err, exec.ErrDot) {
		return binaryProgram(typed, path)
	}
	if errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("%w: not in PATH (a program of this directory is ./%s)", fs.ErrNotExist, typed)
	}
	return nil, &Error{typed, Cause(err)}
}

// hasGoFile tells whether a directory has a file of Go, or cannot be read, of which the go command then says why.
func hasGoFile(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err != nil || slices.ContainsFunc(entries,
		func(e fs.DirEntry) bool { return filepath.Ext(e.Name()) == ".go" })
}

// Cause takes the path off an error, which the message gives already.
func Cause(err error) error {
	var exe *exec.Error
	if errors.As(err, &exe) {
		err = exe.Err
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return err
}

// binaryProgram makes the path absolute: ranks may start in another directory.
func binaryProgram(typed, path string) (*Program, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, &Error{typed, err}
	}
	if err = checkFile(abs); err == nil {
		err = checkInterpreter(abs)
	}
	if err == nil {
		err = linkage.CheckLength(abs, os.Environ())
	}
	if err != nil {
		return nil, &Error{typed, err}
	}
	return &Program{Path: abs, Name: filepath.Base(abs)}, nil
}

// checkInterpreter finds out before the start that the interpreter of a script, or the dynamic linker of a binary,
// cannot be executed. The kernel would say that of the program.
func checkInterpreter(path string) error {
	interpreter := linkage.StartedBy(path)
	if interpreter == "" {
		return nil
	}
	if err := checkFile(interpreter); err != nil {
		if name, foreign := strings.CutSuffix(interpreter, "\r"); foreign {
			return fmt.Errorf("its interpreter %s: %w: a carriage return is behind the name: "+
				"end lines with a newline alone", name, err)
		}
		return fmt.Errorf("its interpreter %s: %w", interpreter, err)
	}
	return nil
}

// checkFile refuses what the kernel does not execute, whatever is in it.
func checkFile(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return fmt.Errorf("it is a pipe or device: %w", fs.ErrPermission)
	}
	if err == nil {
		_, err = exec.LookPath(path)
	}
	return Cause(err)
}

// looksLikeImportPath keeps a mistyped file name from starting the go command:
// ./x and /x are files.
func looksLikeImportPath(typed string) bool {
	return strings.ContainsRune(typed, '/') && !filepath.IsAbs(typed) && !strings.HasPrefix(typed, ".")
}

func goResolves(ctx context.Context, pkg string) bool {
	cmd := exec.CommandContext(ctx, "go", "list", "-f", "{{.Name}}", "--", pkg)
	out, err := cmd.Output()
	return err == nil && strings.TrimSpace(string(out)) == "main"
}

// buildProgram builds a Go package as a PIE into memory; nothing is written
// where the user could see it. `go run` keeps the linked program in the build
// cache, which `go build` does not, and -exec cat makes it hand the program over
// instead of running it: a second start costs some 70 ms.
func buildProgram(ctx context.Context, typed, dir, pkg string, stderr io.Writer) (*Program, error) {
	abs, err := filepath.Abs(typed)
	if err != nil {
		return nil, &Error{typed, err}
	}
	name := filepath.Base(abs)
	work, err := os.MkdirTemp("", "pvasrun-build")
	if err != nil { // no fault of the program
		return nil,
			fmt.Errorf("launcher: build %s: make a temporary folder: %w: set TMPDIR to a folder that you may write",
				typed, err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	file, err := sys.ProgramFile(name)
	if err != nil {
		return nil, &Error{typed, err}
	}
	cmd := exec.CommandContext(ctx, "go", "run", buildMode(os.Getenv("GOFLAGS")), "-exec", "cat", pkg)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, file, stderr
	if err := gocmd.Run(cmd, work); err != nil {
		file.Close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &Error{typed, fmt.Errorf("build with the go command: %w", err)}
	}
	if err := sys.SealProgram(file); err != nil {
		file.Close()
		return nil, &Error{typed, err}
	}
	return &Program{Path: descriptorPath(os.Getpid(), file), Name: name, File: file}, nil
}

// buildMode is the flag of the go command for a program of one address space. The race detector and sanitizers, which
// GOFLAGS asks for, do not go with it: then it is that for a classic process.
func buildMode(flags string) string {
	for flag := range strings.FieldsSeq(flags) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(flag, "-"), "-"), "=")
		if (name == "race" || name == "msan" || name == "asan") && value != "false" {
			return "-buildmode=default"
		}
	}
	return "-buildmode=pie"
}

// sentProgram makes a program of the bytes that the leader of a job on several nodes has sent.
func sentProgram(typed string, image []byte) (*Program, error) {
	name := filepath.Base(typed)
	f, err := sys.ProgramFile(name)
	if err != nil {
		return nil, &Error{typed, err}
	}
	if _, err = f.Write(image); err == nil {
		err = sys.SealProgram(f)
	}
	if err != nil {
		return nil, &Error{typed, errors.Join(err, f.Close())}
	}
	return &Program{Path: descriptorPath(os.Getpid(), f), Name: name, File: f}, nil
}

// descriptorPath names an open file of process pid for as long as it is open
// there. Unlike /proc/self it means the same in every process.
func descriptorPath(pid int, f *os.File) string {
	return fmt.Sprintf("/proc/%d/fd/%d", pid, f.Fd())
}

// A Error says why a program cannot be run or built. It wraps
// fs.ErrNotExist, fs.ErrPermission or the error of the go command.
type Error struct {
	Program string
	Err     error
}

func (e *Error) Error() string {
	return fmt.Sprintf("launcher: program %s: %v", e.Program, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
