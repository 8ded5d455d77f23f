package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/limits"
	"github.com/gopvas/gopvas/internal/linkage"
	"github.com/gopvas/gopvas/launcher/internal/desk"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/program"
	"github.com/gopvas/gopvas/pvas"
)

// The supervisor looks at the desk when a rank sends SIGCHLD. While a request is answered, events are handled as ever.

// attend answers the requests at the desk. Those that come while ranks of the first world are still started wait: the
// host does one thing at a time. On one node of several the leader answers, by an order.
func (s *supervisor) attend() {
	if s.memory == nil || s.fate.Starting || s.phase != working {
		return
	}
	for {
		t, ok := s.desk.Next()
		switch {
		case !ok:
			return
		case t.Leader != nil:
			s.job.Part.Tell(part.Note{Request: t.Leader})
			return
		case t.Other != nil:
			answer, err := await(s, t.Other.Wait)
			s.desk.Reply(t.Other.Answer(answer, err))
		default:
			s.desk.Reply(s.spawnFor(t.Spawn))
		}
	}
}

// spawnFor answers the request of a rank to start others.
func (s *supervisor) spawnFor(r *desk.Spawn) []string {
	like := s.app(r.Parent)
	l := &part.Late{Commands: r.Commands, Env: like.Env, NoEnv: like.NoEnv, Unset: like.Unset, Nice: like.Nice}
	if err := s.spawn(r.Parent, l); err != nil {
		s.job.logf("rank %d: spawn: %v", r.Parent, err)
		return job.Refuse(err)
	}
	return job.Grant(job.EncodeWorld(l.World, l.CountsOf())...)
}

// spawn starts a world. After an error none of its ranks is left.
func (s *supervisor) spawn(parent int, l *part.Late) error {
	most := part.Most(s.job.Universe, s.places-s.memory.Root().Visitors())
	size, err := part.Settle(l.Commands, most-s.size, s.noRoom)
	if err != nil {
		return err
	}
	for _, c := range l.Commands {
		if err := checkHost(c.Host); err != nil {
			return err
		}
	}
	l.World, l.Nodes = job.World{Number: s.ranks.Next(), First: s.size, Size: size, Parent: parent}, make([]int, size)
	for _, step := range []func(*part.Late) error{s.findLate, s.expect, s.begin} {
		if err := step(l); err != nil {
			return err
		}
	}
	return nil
}

func (s *supervisor) noRoom() error {
	if s.job.guest != nil && s.places == 1 {
		return errors.New("the job has room for this rank: raise the limit on the size of files (ulimit -f), which " +
			"leaves no room for more")
	}
	return part.NoRoom(part.Most(s.job.Universe, s.places), s.size, s.job.TraceSize > 0)
}

// findLate finds the programs of a world's ranks here, and looks whether they can be started. It may block. The apps
// are there from now on, also if another node has not found its own.
func (s *supervisor) findLate(l *part.Late) error {
	late, err := await(s, func() ([]latecomer, error) { return s.lookForLate(l) })
	if err != nil {
		return err
	}
	s.lateApps = make([]int, len(l.Commands))
	for _, c := range late {
		s.lateApps[c.command] = len(s.apps)
		s.job.Apps, s.apps, s.List = append(s.job.Apps, c.app), append(s.apps, c.host), append(s.List, c.prog)
	}
	return nil
}

// latecomer is a program of a world that is about to be started.
type latecomer struct {
	command int // its number
	app     App
	prog    *program.Program
	host    host.App
}

func (s *supervisor) lookForLate(l *part.Late) (late []latecomer, err error) {
	defer func() {
		for _, l := range late {
			if err != nil {
				l.prog.Close()
			}
		}
	}()
	each, size := l.Local(s.node())
	if err := limits.Job(size, s.job.StackSize, s.job.OutputDir == ""); err != nil {
		return nil, err
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
		a := s.hostApp(i, &app, prog, l.World.Size, size)
		a.Env = linkage.Prepare(prog.Path, a.Env, linkage.Find()).Env(a.Env) // see link
		late = append(late, latecomer{i, app, prog, a})
	}
	return late, s.addToSpace(late)
}

// addToSpace has the host look at programs, if the ranks share an address space.
func (s *supervisor) addToSpace(late []latecomer) error {
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
func (s *supervisor) findBinary(typed string, app *App) (*program.Program, error) {
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

// checkHost refuses a host that is not this one.
func checkHost(name string) error {
	own, err := os.Hostname()
	short, _, _ := strings.Cut(own, ".")
	if name == "" || name == "localhost" || err == nil && (name == own || name == short) {
		return nil
	}
	return fmt.Errorf("host %s: ranks are started on this node (%s) only", name, own)
}
