package launcher

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/linkage"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/program"
	"github.com/gopvas/gopvas/pvas"
)

// A plan is a job that has been checked and whose programs have been found: all
// that is known before the first process is started.
type plan struct {
	job  *Job
	size int // ranks
	seats
	id           string
	program.List            // by app
	apps         []host.App // nil in a leader of several nodes
	appOf        []int      // app, by rank
}

// newPlan checks a job and finds or builds its programs. The caller closes it.
func newPlan(ctx context.Context, j *Job) (*plan, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	if err := checkProc(os.Getpid()); err != nil {
		return nil, err
	}
	at, err := newSeats()
	if err != nil {
		return nil, err
	}
	if err := j.Bind.check(at.cpus); err != nil {
		return nil, err
	}
	var names []string
	for _, app := range j.Apps {
		if err := checkDir(app.Dir); err != nil {
			return nil, err
		}
		if err := (Binding{Sets: [][]int{app.CPUs}}).check(at.cpus); err != nil {
			return nil, err
		}
		names = append(names, app.Program)
	}
	p := &plan{job: j, size: j.size(), id: newID(), seats: at}
	p.add(j.Bind, p.size)
	if j.guest != nil { // it runs: its file may have gone
		p.List = program.List{{Path: names[0], Name: filepath.Base(names[0])}}
	} else if p.List, err = program.FindAll(ctx, names, j.Part.Image, j.Signals, j.Stderr); err != nil {
		return nil, err
	}
	for i, app := range j.Apps {
		p.appOf = append(p.appOf, slices.Repeat([]int{i}, app.N)...)
		prog := p.List[i]
		p.apps = append(p.apps, p.hostApp(i, &app, prog, j.Total(), p.size))
		if j.guest != nil {
			continue
		}
		if err := p.link(i); err != nil {
			p.List.Close()
			return nil, err
		}
	}
	return p, nil
}

// hostApp returns an app as its ranks are started: it is the one with this number of a world of so many ranks, some of
// them on this node.
func (p *plan) hostApp(number int, app *App, prog *program.Program, total, here int) host.App {
	a := host.App{Path: prog.Path, Name: prog.Name, Args: app.words(), Env: app.Env, Dir: app.Dir,
		NoEnv: app.NoEnv, Unset: app.Unset, Threads: p.job.Bind.CPUs}
	a.Env = append(host.BaseEnv(&a, p.id, total, here, p.atOnce), job.EnvApp+"="+strconv.Itoa(number))
	return a
}

// link finds out which MPI library the ranks of an app would load, and has them load ours. It starts a process, so it
// is not for apps of a running job.
func (p *plan) link(app int) error {
	a, prog := &p.apps[app], p.List[app]
	if program.Contains(prog.Path) {
		return contain(a, prog)
	}
	linked := linkage.Prepare(prog.Path, a.Env, linkage.Find())
	if err := linked.Ask(a.Env, job.LayoutVersion); err != nil {
		return &program.Error{Program: p.job.Apps[app].Program, Err: err}
	}
	if prog.Remark, a.Env = linked.Remark(), linked.Env(a.Env); linked.MPI != "" {
		p.job.logf("%s: %s is %s", prog.Name, linked.MPI, linked.Library)
		return nil
	}
	if path, env := program.Started(p.job.Apps[app].Args, a.Env); path != "" {
		if why := linkage.Alone(path, env, linkage.Find()); why != "" {
			prog.Remark = fmt.Sprintf("starts %s, which %s", filepath.Base(path), why)
		}
	}
	return nil
}

// librariesFD is the descriptor of a rank in a container for Program.Libraries, behind that of the job's memory.
const librariesFD = 4

// contain sees to it that ranks in a container find the MPI library. Its files are not those of the image, but by a
// descriptor of their folder the dynamic linker of the image reaches them.
func contain(a *host.App, prog *program.Program) (err error) {
	in := linkage.Find()
	if in == "" {
		return nil
	}
	if prog.Libraries == nil { // other apps may have it
		if prog.Libraries, err = os.Open(string(in)); err != nil {
			return fmt.Errorf("launcher: the MPI library: %w", err)
		}
	}
	audit := linkage.Installation(fmt.Sprintf("/proc/self/fd/%d", librariesFD)).Audit()
	a.Args, a.Env = program.Contain(a.Args, a.Env, librariesFD-2, audit)
	return nil
}

// number returns the number in the job of a rank of this node.
func (p *plan) number(rank int) int { return p.job.Part.Number(rank) }

// node is the number of this one.
func (p *plan) node() int {
	if p.job.Part == nil {
		return 0
	}
	return p.job.Part.Node
}

// grow makes room for ranks that run these apps, behind those that are there.
func (p *plan) grow(apps []int) {
	p.appOf = append(p.appOf, apps...)
	p.size += len(apps)
	p.add(p.job.Bind, len(apps))
}

// universe is what ranks are told as MPI_UNIVERSE_SIZE.
func (p *plan) universe() int {
	if p.job.Universe > 0 {
		return p.job.Universe
	}
	return max(p.job.Total(), p.atOnce)
}

// app returns the app of a rank.
func (p *plan) app(rank int) *App { return &p.job.Apps[p.appOf[rank]] }

// checkProc tells why /proc does not show this process. The processes of a job are looked up there.
func checkProc(pid int) error {
	self, err := os.Readlink("/proc/self")
	switch {
	case err != nil:
		return errors.New("launcher: /proc is not there: mount it: mount -t proc proc /proc")
	case self != strconv.Itoa(pid):
		return fmt.Errorf("launcher: /proc is that of another PID namespace, where process %d is %q: mount one for "+
			"this namespace: mount -t proc proc /proc", pid, self)
	}
	return nil
}

// checkDir refuses a working directory that is none, before ranks fail by it one after another.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return mistake{fmt.Errorf("launcher: working directory %s: %w", dir, program.Cause(err))}
	}
	return nil
}

// cpusOf returns the CPUs of a rank; nil means unbound.
func (p *plan) cpusOf(rank int) []int {
	if own := p.app(rank).CPUs; own != nil {
		return own
	}
	return p.sets[rank]
}

// domains are where ranks of this node run, from one on.
func (p *plan) domains(first int) (list []job.Domain) {
	for rank := first; rank < p.size; rank++ {
		list = append(list, p.domain(p.of(p.cpusOf(rank))))
	}
	return list
}

// room returns how many CPUs there are for the ranks of this node.
func (p *plan) room() int {
	sets := make([][]int, p.size)
	for rank := range sets {
		sets[rank] = p.cpusOf(rank)
	}
	return p.enough(sets)
}

// wrapped says why "auto" takes classic processes although the programs themselves could share an address space.
func (p *plan) wrapped() string {
	if p.job.BTL == btlPvas || p.job.BTL == btlSM {
		return ""
	}
	for _, app := range p.job.Apps {
		if program.Wraps(app.Program, app.Args) {
			return app.Program + " starts the rank, which then has an address space of its own"
		}
	}
	return ""
}

// fit says why the ranks cannot share an address space, nil if they can as far
// as can be seen from outside it.
func (p *plan) fit() error {
	if err := pvas.Supported(); err != nil {
		return err
	}
	for i, app := range p.apps {
		if program.Contains(app.Path) {
			return fmt.Errorf("%s starts the rank in a container, with an address space of its own", app.Name)
		}
		if shell := program.ShellOf(app.Path, p.job.Apps[i].Args, app.Env); shell != "" {
			return fmt.Errorf("%s is a script, and what %s executes has an address space of its own: "+
				"name the program itself", app.Name, shell)
		}
		if err := pvas.Check(app.Path, app.Env...); err != nil {
			return err
		}
	}
	if limits.Areas(uint64(p.size)*manyAreas) == nil {
		return nil
	}
	return p.fitAreas()
}

// manyAreas is more memory areas than programs have before their main function
// begins. Where the limit is far they are not counted, which takes time.
const manyAreas = 500

// fitAreas counts the memory areas of the programs.
func (p *plan) fitAreas() error {
	var areas uint64
	for i, app := range p.job.Apps {
		n, err := pvas.Areas(p.apps[i].Path, p.apps[i].Env)
		if err != nil {
			return err
		}
		areas += n * uint64(app.N)
	}
	if err := limits.Areas(areas); err != nil {
		return fmt.Errorf("launcher: %w", err)
	}
	return nil
}

// A RankPlan is where a rank would run.
type RankPlan struct {
	Rank    int          `json:"rank"`
	Program string       `json:"program"` // as the user gave it
	Args    []string     `json:"args"`    // with the program's name
	Dir     string       `json:"dir"`
	CPUs    []int        `json:"cpus"`             // it may run on
	Layout  *pvas.Layout `json:"layout,omitempty"` // nil: an address space of its own
}

// A Plan is the plan of Run.
type Plan struct {
	BTL    job.BTL    `json:"btl"`
	Reason string     `json:"reason,omitempty"` // why "auto" takes sm
	Ranks  []RankPlan `json:"ranks"`
}

// DryRun finds and builds the programs of a job, and says where its ranks would
// run, without starting one. The addresses differ from one job to the next; the
// distances between them do not. Errors are those of Run.
func DryRun(ctx context.Context, j Job) (*Plan, error) {
	p, err := newPlan(ctx, &j)
	if err != nil {
		return nil, err
	}
	defer p.List.Close()
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("launcher: %w", err)
	}
	result := &Plan{BTL: job.BTLSM}
	for rank := range p.size {
		app := p.app(rank)
		r := RankPlan{Rank: rank, Program: app.Program, Args: app.words(), Dir: dir, CPUs: p.of(p.cpusOf(rank))}
		if app.Dir != "" {
			r.Dir = app.Dir
		}
		result.Ranks = append(result.Ranks, r)
	}
	if j.BTL == btlSM {
		return result, nil
	}
	if result.Reason = p.wrapped(); result.Reason != "" {
		return result, nil
	}
	if err := host.WithStack(j.StackSize, func() error { return p.layouts(result.Ranks) }); err != nil {
		if j.BTL == btlPvas {
			return nil, err
		}
		result.Reason = reason(err)
		return result, nil
	}
	result.BTL = job.BTLPvas
	return result, nil
}

// layouts fills in where ranks lie in one address space, or leaves them alone
// and says why they cannot.
func (p *plan) layouts(ranks []RankPlan) error {
	if err := p.fit(); err != nil {
		return err
	}
	space, err := pvas.Create(pvas.Config{Tasks: p.size, PartitionSize: p.job.PartitionSize,
		SmallRegion: job.SmallRegionSize(p.size), HugePages: p.job.HugePages != ""})
	if err != nil {
		return err
	}
	defer space.Destroy()
	layouts := make([]pvas.Layout, p.size)
	for rank := range ranks {
		app := &p.apps[p.appOf[rank]]
		if layouts[rank], err = space.Layout(rank, app.Path, app.Env...); err != nil {
			return err
		}
	}
	for rank := range ranks {
		ranks[rank].Layout = &layouts[rank]
	}
	return nil
}

func newID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x", b)
}

// reason shortens an error to one line, to be put behind a colon.
func reason(err error) string {
	var host *host.Error
	if errors.As(err, &host) && host.Err != nil {
		err = host.Err
	}
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "pvas: "), "launcher: ")
	return strings.ReplaceAll(text, "\n", "; ")
}
