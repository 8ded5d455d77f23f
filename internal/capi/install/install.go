package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gopvas/gopvas"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Config says what is to be installed.
type Config struct {
	Dir     string // the folder, made if it is not there
	Launch  string // the executable of pvasrun, which is copied
	Version string // of this program, for pkg-config
	// RootBlock is the version of the root block that the sources of the library have.
	RootBlock uint64
	Stderr    io.Writer         // of the compilers
	Step      func(what string) // says what is built next, which takes a while
	Missing   func(what string) // says what is not installed, and why
	From      string            // the folder of an installation that is copied; "": it is built

	// Target is what an installation for other machines is made for; nil: it is for this one. For others it has no
	// pvaspython, which is linked with the Python of one machine. Its libraries have no information for debuggers,
	// which names folders of this machine.
	Target *Target
}

// A Target is a kind of machines, and how an installation for them is built here.
type Target struct {
	Arch       string    // GOARCH
	C, Fortran string    // commands that build it here
	Wrappers   Compilers // that its wrappers call there
}

// Compilers are commands.
type Compilers struct{ C, CXX, Fortran string }

// installation is the state of Install.
type installation struct {
	Config
	tools
	source  string   // the folder with the sources
	made    []string // folders that were not there
	without []string // files that it cannot have on this machine
}

// Install makes the folder. Files of an earlier installation are replaced when all new ones are built. So a build that
// fails leaves the earlier installation whole. Each file is replaced at once: programs that are running keep theirs.
func Install(ctx context.Context, c Config) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("install: %s: %w", c.Dir, err)
		}
	}()
	if c.Dir == "" {
		return FolderError{errors.New("its name is empty: name the folder that is to be made")}
	}
	in := installation{Config: c}
	if in.Dir, err = filepath.Abs(c.Dir); err != nil {
		return err
	}
	if in.From == "" {
		if in.tools, err = findTools(ctx, in.Target); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.removeMade())
		}
	}()
	if err := in.checkOther(); err != nil {
		return FolderError{err}
	}
	for _, dir := range folders {
		if err := in.makeFolder(in.path(dir)); err != nil {
			return FolderError{err}
		}
	}
	free, err := in.alone()
	if err != nil {
		return err
	}
	defer free()
	if in.source, err = os.MkdirTemp(in.Dir, buildPrefix); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(in.source)) }()
	for _, dir := range folders {
		if err := os.MkdirAll(in.fresh(dir), 0o755); err != nil {
			return err
		}
	}
	if err := in.make(ctx); err != nil {
		return err
	}
	if err := in.writeList(); err != nil {
		return err
	}
	return in.publish()
}

// make makes all files, beside those that are there.
func (in *installation) make(ctx context.Context) error {
	steps := []func(context.Context) error{
		in.sources, in.library, in.faces, in.finder, in.headers, in.fortran, in.wrappers, in.launcher, in.pkgConfig,
		in.python, in.suppressions,
	}
	if in.From != "" {
		steps = []func(context.Context) error{in.copyOf}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sources writes what is built.
func (in *installation) sources(context.Context) error {
	return writeSources(in.source, gopvas.Sources)
}

// buildPrefix is what the folders begin with in which installations are made.
const buildPrefix = ".build-"

// alone returns an error if somebody else installs in the folder, and keeps others from that until free is called. It
// removes what installations have left that were killed.
func (in *installation) alone() (free func(), err error) {
	dir, err := os.Open(in.Dir)
	if err != nil {
		return nil, err
	}
	free = func() { _ = dir.Close() }
	switch err = sys.LockFile(dir); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		free()
		return nil, errors.New("another installation is being made there: wait for its end")
	case err != nil: // the file system has no locks, so what lies there may be in use
		return free, nil
	}
	entries, err := dir.ReadDir(-1)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), buildPrefix) {
			err = errors.Join(err, os.RemoveAll(in.path(e.Name())))
		}
	}
	if err != nil {
		free()
	}
	return free, err
}

// folders are those of an installation.
var folders = []string{"bin", "include", "lib", "lib/gopvas", "lib/pkgconfig", "lib/pkgconfig/others"}

// path is that of a file in the folder, fresh the one where it lies until all are there.
func (in *installation) path(name string) string  { return filepath.Join(in.Dir, name) }
func (in *installation) fresh(name string) string { return filepath.Join(in.source, "fresh", name) }

// publish moves all files to the folder, and takes away what an earlier installation had and this one has not.
func (in *installation) publish() error {
	err := filepath.WalkDir(in.fresh("."), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(in.fresh("."), file)
		if err != nil {
			return err
		}
		return os.Rename(file, in.path(name))
	})
	if err != nil {
		return err
	}
	for _, name := range in.without {
		err = errors.Join(err, os.RemoveAll(in.path(name)))
	}
	return err
}

// tools are the programs of the machine.
type tools struct {
	goCommand string
	c         string
	fc        string    // "": none
	fcFlags   string    // that the compiler needs to take programs of MPI
	wrapped   Compilers // that the wrappers call
}

// findTools looks for the compilers, unless the target names them. CC, CXX and FC name others.
func findTools(ctx context.Context, target *Target) (t tools, err error) {
	if t.goCommand, err = exec.LookPath("go"); err != nil {
		return t,
			fmt.Errorf("the library is built with the go command: install Go, from https://go.dev/dl "+
				"or as a package: %w", err)
	}
	if target == nil {
		here := Compilers{firstOf("CC", "gcc", "cc", "clang"), firstOf("CXX", "g++", "c++", "clang++"),
			firstOf("FC", "gfortran")}
		here.CXX = cmp.Or(here.CXX, "g++") // mpicxx says so when it is called
		target = &Target{C: here.C, Fortran: here.Fortran, Wrappers: here}
	}
	t.c, t.fc, t.wrapped = target.C, target.Fortran, target.Wrappers
	if t.c == "" {
		return t, errors.New("no C compiler is there: install gcc, or name one by CC")
	}
	if t.fc != "" {
		const lenient = "-fallow-argument-mismatch" // gfortran has it from version 10 on, and needs it
		check := exec.CommandContext(ctx, "sh", "-c", t.fc+" "+lenient+" -cpp -E -x f95 /dev/null")
		if check.Run() == nil {
			t.fcFlags = lenient
		}
	}
	return t, nil
}

// firstOf returns what the environment variable says, or the first command that is there.
func firstOf(variable string, commands ...string) string {
	if set := os.Getenv(variable); set != "" {
		return set
	}
	for _, c := range commands {
		if _, err := exec.LookPath(c); err == nil {
			return c
		}
	}
	return ""
}

// writeSources writes all files that a build needs.
func writeSources(dir string, sources fs.FS) error {
	return fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, name), 0o755)
		case strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(sources, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), text, 0o644)
	})
}

// write makes a file of the folder.
func (in *installation) write(name string, text []byte, mode fs.FileMode) error {
	return os.WriteFile(in.fresh(name), text, mode)
}

// link makes name a link to a file in the same folder.
func (in *installation) link(name, to string) error { return os.Symlink(to, in.fresh(name)) }
