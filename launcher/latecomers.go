package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/linkage"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/program"
	"github.com/gopvas/gopvas/pvas"
)

// latecomer is a program of a world that is about to be started.
type latecomer struct {
	command int // its number
	app     App
	prog    *program.Program
	host    host.App
}

// lookForLate finds the programs of a world's ranks here, and looks whether they can be started.
func (s *starter) lookForLate(l *part.Late) (late []latecomer, err error) {
	defer func() {
		for _, l := range late {
			if err != nil {
				l.prog.Close()
			}
		}
	}()
	each, size := l.Local(s.node())
	if err := limits.Job(size, s.job.StackSize, s.job.Output.Piped()); err != nil {
		return nil, err
	}
	if l.Instead != nil {
		late = s.again(l)
		return late, s.addToSpace(late)
	}
	for i, c := range l.Commands {
		if each[i] == 0 {
			continue
		}
		if err := checkDir(c.Dir); err != nil {
			return late, err
		}
		app := App{Program: c.Program, Args: c.Args, N: each[i], Env: l.Env, NoEnv: l.NoEnv, Unset: l.Unset,
			Nice: l.Nice, Dir: c.Dir}
		file := programIn(c)
		prog, err := s.findBinary(file, &app)
		if errors.Is(err, fs.ErrNotExist) && c.Path != "" && !strings.ContainsRune(file, '/') {
			// The directories come first: programs built with Open MPI keep 255 characters of an error.
			err = fmt.Errorf("the program is not in %s, the info key path: %w", c.Path, err)
		}
		if err != nil {
			return late, err
		}
		late = append(late, s.latecomer(i, app, prog, l.World.Size, size))
	}
	return late, s.addToSpace(late)
}

// latecomer is a program of a world with so many ranks, of which some are here.
func (s *starter) latecomer(i int, app App, prog *program.Program, world, here int) latecomer {
	a := s.hostApp(i, &app, prog, world, here)
	a.Env = linkage.Prepare(prog.Path, a.Env, linkage.Find()).Env(a.Env) // see link
	return latecomer{i, app, prog, a}
}

// again returns the programs of failed ranks, which are there.
func (s *starter) again(l *part.Late) (late []latecomer) {
	for i, of := range l.Instead {
		number := s.appOf[of.Rank]
		app, prog := s.job.Apps[number], &program.Program{Path: s.List[number].Path, Name: s.List[number].Name}
		app.N = 1
		late = append(late, s.latecomer(i, app, prog, l.World.Size, l.World.Size))
	}
	return late
}

// addToSpace has the host look at programs, if the ranks share an address space.
func (s *starter) addToSpace(late []latecomer) error {
	if s.btl != job.BTLPvas {
		return nil
	}
	apps := make([]host.App, len(late))
	for i := range late {
		late[i].host.Env = host.SharedEnv(late[i].host.Env)
		apps[i] = late[i].host
		if err := pvas.Check(apps[i].Path, apps[i].Env...); err != nil {
			return fmt.Errorf("%w (with pvasrun --btl sm each rank has an address space of its own)", err)
		}
	}
	_, err := s.control.Call("add programs", host.Request{Add: apps})
	return err
}

// findBinary finds the program of an app. Only binaries: what builds a program would be a child of this process, which
// it would reap. In one address space the program of a script is its interpreter, but no shell: that starts the rank.
func (s *starter) findBinary(typed string, app *App) (*program.Program, error) {
	prog, err := program.FindBinary(typed)
	if err != nil || s.btl != job.BTLPvas {
		return prog, err
	}
	env := s.hostApp(0, app, prog, 1, 1).Env
	path, args := linkage.Unscript(prog.Path, app.Args, env)
	if path == prog.Path || program.Wraps(path, args) {
		return prog, nil
	}
	app.Program, app.Args = path, args
	return program.FindBinary(path)
}

// programIn returns the file of a command's program: the first that can be executed in one of its directories, or where
// its ranks will be; else the name as it was given, for PATH. If PATH has none either, it returns the first file that
// cannot be executed: the error then names that file.
func programIn(c job.Command) string {
	dirs := filepath.SplitList(c.Path)
	if strings.ContainsRune(c.Program, '/') {
		dirs = nil
		if _, err := os.Stat(c.Program); err != nil && c.Dir != "" && !filepath.IsAbs(c.Program) {
			dirs = []string{c.Dir}
		}
	}
	unfit := ""
	for _, dir := range dirs {
		file := filepath.Join(dir, c.Program)
		switch info, err := os.Stat(file); {
		case err != nil:
		case info.Mode().IsRegular() && info.Mode()&0o111 != 0:
			return file
		case unfit == "":
			unfit = file
		}
	}
	if unfit != "" {
		if _, err := exec.LookPath(c.Program); err != nil && !errors.Is(err, exec.ErrDot) {
			return unfit
		}
	}
	return c.Program
}
