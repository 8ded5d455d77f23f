package launcher

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/limits"
	"github.com/gopvas/gopvas/internal/linkage"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/program"
	"github.com/gopvas/gopvas/pvas"
)

// Ranks ask the supervisor at the job's desk (job.Root.Ask): to keep the names of ports, and to start further ranks. It
// looks there when a rank sends SIGCHLD, and answers one request after the other. While a request is answered, events
// are handled as ever.

// universe is what ranks are told as MPI_UNIVERSE_SIZE.
func (s *supervisor) universe() int {
	if s.job.Universe > 0 {
		return s.job.Universe
	}
	return max(s.job.Total(), len(s.cpus))
}

// attend answers the requests at the desk. Those that come while ranks of the first world are still started wait: the
// host does one thing at a time.
func (s *supervisor) attend() {
	if s.memory == nil || s.fate.Starting || s.attending || s.phase != working {
		return
	}
	s.attending = true
	defer func() { s.attending = false }()
	root := s.memory.Root()
	for {
		rank, request, ok := root.Request()
		if !ok {
			return
		}
		answer, ok := s.names.Handle(root.ID(), rank, request)
		if !ok {
			answer = s.spawnFor(rank, request)
		}
		root.Reply(answer...)
	}
}

// spawnFor answers the request of a rank to start others.
func (s *supervisor) spawnFor(parent int, request []string) []string {
	commands, ok := job.DecodeSpawn(request)
	if !ok {
		return job.Refuse(fmt.Errorf("%w: pvasrun does not know the request", job.ErrSpawn))
	}
	w, counts, err := s.spawn(parent, commands)
	if err != nil {
		s.job.logf("rank %d: spawn: %v", parent, err)
		return job.Refuse(err)
	}
	return job.Grant(job.EncodeWorld(w, counts)...)
}

// latecomer is a program of a world that is about to be started.
type latecomer struct {
	app  App
	prog *program.Program
	host host.App
}

// spawn starts a world. After an error none of its ranks is left.
func (s *supervisor) spawn(parent int, commands []job.Command) (w job.World, counts []int, err error) {
	counts, err = s.counts(commands)
	if err != nil {
		return w, nil, err
	}
	late, err := await(s, func() ([]latecomer, error) { return s.findLate(parent, commands, counts) })
	if err != nil {
		return w, nil, err
	}
	size := 0
	for _, n := range counts {
		size += n
	}
	w, err = s.memory.Root().AddWorld(size, parent, len(s.worlds))
	if err != nil {
		return w, nil, err
	}
	s.worlds = append(s.worlds, w)
	s.size += size
	s.pids = append(s.pids, make([]int, size)...)
	s.began = append(s.began, make([]time.Time, size)...)
	for i := range late {
		s.appOf = append(s.appOf, slices.Repeat([]int{len(s.apps)}, counts[i])...)
		s.job.Apps, s.apps = append(s.job.Apps, late[i].app), append(s.apps, late[i].host)
		s.List = append(s.List, late[i].prog)
	}
	s.add(s.job.Bind, size)
	s.memory.Root().SetDomains(w.First, s.domains(w.First))
	for rank := w.First; rank < w.First+size; rank++ {
		clear(s.early) // as in start
		pid, err := await(s, func() (int, error) { return s.startRank(rank) })
		if err != nil {
			s.dropWorld(w)
			return w, nil, fmt.Errorf("start rank %d, %s: %w", rank, s.app(rank).Program, err)
		}
		s.rankStarted(rank, pid)
	}
	return w, counts, nil
}

// counts returns how many ranks of each command are started. Where there is no room for all that are asked for, it is
// as many as the program says will do.
func (s *supervisor) counts(commands []job.Command) ([]int, error) {
	free := s.places - s.size
	counts := make([]int, len(commands))
	for i, c := range commands {
		if counts[i] = c.N; c.N < 1 {
			return nil, fmt.Errorf("%s: %d ranks: at least 1 is needed", c.Program, c.N)
		}
		if c.Soft != "" {
			allowed, ok := job.Counts(c.Soft, min(c.N, free))
			if !ok {
				return nil, fmt.Errorf("%s: soft=%q is no list such as 2,4:8,16:64:16", c.Program, c.Soft)
			}
			if len(allowed) > 0 && allowed[0] > 0 {
				counts[i] = allowed[0]
			}
		}
		if free -= counts[i]; free < 0 {
			return nil, s.noRoom()
		}
	}
	return counts, nil
}

func (s *supervisor) noRoom() error {
	why := "use pvasrun --universe N with a larger N"
	switch {
	case s.job.guest != nil && s.places == 1:
		why = "raise the limit on the size of files (ulimit -f), which leaves no room for more"
	case s.job.TraceSize > 0:
		why = "ranks that are recorded (--trace) start no others"
	}
	return fmt.Errorf("the job has room for %d ranks in all, and has had %d: %s", s.places, s.size, why)
}

// findLate finds the programs of commands and looks whether they can be started. It may block.
func (s *supervisor) findLate(parent int, commands []job.Command, counts []int) (late []latecomer, err error) {
	defer func() {
		for _, l := range late {
			if err != nil {
				l.prog.Close()
			}
		}
	}()
	size := 0
	for _, n := range counts {
		size += n
	}
	if err := limits.Job(size, s.job.StackSize, s.job.OutputDir == ""); err != nil {
		return nil, err
	}
	like := s.app(parent) // its environment is that of the others
	for i, c := range commands {
		if err := errors.Join(checkDir(c.Dir), checkHost(c.Host)); err != nil {
			return late, err
		}
		app := App{Program: c.Program, Args: c.Args, N: counts[i], Env: like.Env, NoEnv: like.NoEnv, Unset: like.Unset,
			Nice: like.Nice, Dir: c.Dir}
		prog, err := s.findBinary(programIn(c), &app, s.apps[s.appOf[parent]].Env)
		if err != nil {
			return late, err
		}
		late = append(late, latecomer{app, prog, s.hostApp(i, &app, prog, size, size)})
		env := &late[i].host.Env // see link
		*env = linkage.Prepare(prog.Path, *env, linkage.Find()).Env(*env)
	}
	if s.btl != job.BTLPvas {
		return late, nil
	}
	apps := make([]host.App, len(late))
	for i := range late {
		late[i].host.Env = host.SharedEnv(late[i].host.Env)
		apps[i] = late[i].host
		if err := pvas.Check(apps[i].Path, apps[i].Env...); err != nil {
			return late, fmt.Errorf("%w (with pvasrun --btl sm each rank has an address space of its own)", err)
		}
	}
	_, err = s.control.Call("add programs", host.Request{Add: apps})
	return late, err
}

// findBinary finds the program of an app. Only binaries: what builds a program would be a child of this process, which
// it would reap. In one address space the program of a script is its interpreter, but no shell: that starts the rank.
func (s *supervisor) findBinary(typed string, app *App, env []string) (*program.Program, error) {
	prog, err := program.FindBinary(typed)
	if err != nil || s.btl != job.BTLPvas {
		return prog, err
	}
	path, args := linkage.Unscript(prog.Path, app.Args, env)
	if path == prog.Path || program.Wraps(path, args) {
		return prog, nil
	}
	app.Program, app.Args = path, args
	return program.FindBinary(path)
}

// programIn returns the program of a command: in one of its directories, if it has any and the program is there, or
// where its ranks will be.
func programIn(c job.Command) string {
	dirs := filepath.SplitList(c.Path)
	if strings.ContainsRune(c.Program, '/') {
		dirs = nil
		if _, err := os.Stat(c.Program); err != nil && c.Dir != "" && !filepath.IsAbs(c.Program) {
			dirs = []string{c.Dir}
		}
	}
	for _, dir := range dirs {
		file := filepath.Join(dir, c.Program)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file
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

// dropWorld ends the ranks of a world that could not be started as a whole.
func (s *supervisor) dropWorld(w job.World) {
	root := s.memory.Root()
	for rank := w.First; rank < w.First+w.Size; rank++ {
		s.ending[rank] = true
		if s.pids[rank] == 0 {
			root.SetState(rank, job.StateFinal)
			root.MarkGone(rank)
		}
	}
	s.signalWorld(w, syscall.SIGKILL)
}

// signalWorld sends a signal to the process groups of the living ranks of a world, and returns how many there are.
func (s *supervisor) signalWorld(w job.World, sig syscall.Signal) (n int) {
	for pid, rank := range s.alive {
		if rank >= w.First && rank < w.First+w.Size {
			s.signal(pid, sig)
			n++
		}
	}
	return n
}

// apart tells whether the end of a rank concerns no other world: it fails, and its world is connected to none, or it
// was told to end for that reason.
func (s *supervisor) apart(rank int, status syscall.WaitStatus, state job.State) bool {
	if s.ending[rank] {
		return true
	}
	return len(s.worlds) > 1 && s.fate.Fails(status, state) && !s.memory.Root().Linked(s.world(rank))
}

// endWorld ends the rest of a world after the end of a rank that apart has told of.
func (s *supervisor) endWorld(rank int, e host.Exit) {
	if s.ending[rank] {
		return
	}
	w := s.world(rank)
	for other := w.First; other < w.First+w.Size; other++ {
		s.ending[other] = true
	}
	others := s.signalWorld(w, syscall.SIGTERM)
	s.signalWorld(w, syscall.SIGCONT)
	s.fate.WorldFailed(&fate.Failure{Rank: rank, Pid: e.Pid, Program: s.app(rank).Program, Status: e.Status}, others)
	if others > 0 {
		time.AfterFunc(fate.GraceTime, func() { s.post(func() { s.signalWorld(w, syscall.SIGKILL) }) })
	}
}
