package host

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/nofile"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/pvas"
)

const (
	Name      = "pvasrun-host" // argv[0] of a space host
	ControlFd = 3
)

// Serve serves, and does not return, if this process is a space host or a guard: see launcher.HostMain.
func Serve() {
	switch {
	case len(os.Args) == 1 && os.Args[0] == Name:
		fate.IgnoreEnds()
		takeName(Name)
		os.Exit(hostMain())
	case len(os.Args) == 2 && os.Args[0] == GuardName:
		fate.IgnoreEnds()
		takeName(GuardName)
		os.Exit(guardMain(os.Args[1]))
	}
}

// takeName has ps show what this process is: the kernel has named it after a link of /proc. In one address space its
// command line is that of the job.
func takeName(name string) { _ = os.WriteFile("/proc/self/comm", []byte(name), 0) } // an error: it is called exe

// showPrograms has ps and pgrep -f show the command line of the ranks, which the kernel keeps for an address space: of
// several programs all, as the user has written them.
func showPrograms(apps []App) {
	var line []string
	for i, app := range apps {
		if i > 0 {
			line = append(line, ":")
		}
		line = append(line, app.Args...)
	}
	_ = sys.SetCommandLine(line) // an error: they show that of the host
}

func hostMain() int {
	control, err := NewControl(os.NewFile(ControlFd, "control"))
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: it is started by pvasrun only: %v\n", Name, err)
		return fate.CodeError
	}
	h := NewHost(control)
	// The supervisor ends the host with SIGKILL when the job is over. The end of
	// the connection therefore means that the supervisor itself was killed.
	err = h.serve()
	h.KillAll()
	if !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", Name, err)
		return fate.CodeError
	}
	return 0
}

// A host is the process whose address space holds the ranks (pvas), or that only
// guards them (sm). It handles one request at a time.
type host struct {
	control  *Control
	id       string
	space    *pvas.Space
	memory   *job.Memory
	apps     []App
	programs programIDs
	guarded  map[int]*pvas.Task // process groups to kill, by leader; nil: it has an address space of its own
	placed   map[int]*pvas.Task // by rank, of a job that survives: see giveBack

	smallUntil int // so many ranks are in Init: then they get huge pages. 0: they have them, or never will
}

// quiet is how long the host waits after the last request before it gives memory back. During the start of a job the
// collection of garbage would take CPU time from the ranks. It may overlap with a request, as every collection may.
const quiet = time.Second

// serve answers requests until the connection ends, which is an error, mostly
// io.EOF.
func (h *host) serve() error {
	tidy := time.AfterFunc(quiet, debug.FreeOSMemory)
	defer tidy.Stop()
	for {
		var req Request
		files, err := h.control.Receive(&req)
		if err != nil {
			return err
		}
		tidy.Reset(quiet)
		rep, err := h.Handle(&req, files)
		if err != nil {
			rep.Err = err.Error()
		}
		if !req.WantsReply() {
			continue
		}
		if err := h.control.Send(&rep); err != nil {
			return err
		}
	}
}

// Handle answers a request. It owns the files.
func (h *host) Handle(req *Request, files []*os.File) (reply, error) {
	switch {
	case req.Create != nil:
		return h.create(req.Create)
	case req.Add != nil:
		return reply{}, h.add(req.Add)
	case req.Memory:
		return reply{}, h.mapMemory(files)
	case req.Spawn != nil:
		defer closeAll(files)
		return h.spawn(req.Spawn, files)
	case req.Guard != 0:
		h.guarded[req.Guard] = nil
		return reply{}, nil
	case req.Forget != 0:
		if task := h.guarded[req.Forget]; task != nil {
			task.Release() // its group is empty
		}
		delete(h.guarded, req.Forget)
		h.giveBack()
		return reply{}, nil
	case req.Raze:
		return reply{}, h.raze()
	}
	closeAll(files)
	return reply{}, errors.New("unknown request")
}

// create makes the address space and checks that the programs fit into a partition, or only learns the
// job's name: Tasks is 0 for a host that guards.
func (h *host) create(req *CreateRequest) (reply, error) {
	h.id = req.ID
	if req.Tasks == 0 {
		return reply{}, nil
	}
	if !req.SmallPages {
		h.usePages(req)
	}
	space, err := pvas.Create(pvas.Config{Tasks: req.Tasks, Spare: req.Spare, PartitionSize: req.PartitionSize,
		SmallRegion: job.SmallRegionSize(req.Total), HugePages: req.HugePages, Siblings: true})
	if err != nil {
		return reply{}, err
	}
	h.space = space
	if err := h.add(req.Apps); err != nil {
		return reply{Tasks: space.Tasks()}, err
	}
	showPrograms(h.apps)
	return reply{Tasks: space.Tasks()}, nil
}

// add checks that programs fit into a partition. What ranks that have ended have mapped elsewhere stays: so it refuses
// more ranks before the others get no memory.
func (h *host) add(apps []App) error {
	if h.space == nil {
		return errors.New("programs: request out of order")
	}
	h.giveBack()
	if err := limits.AreasTaken(os.Getpid()); err != nil {
		return err
	}
	for i := range apps {
		if _, err := h.space.Layout(0, apps[i].Path, apps[i].Env...); err != nil {
			return err
		}
	}
	h.apps = append(h.apps, apps...)
	return nil
}

func (h *host) mapMemory(files []*os.File) error {
	if len(files) != 1 {
		return errors.New("job memory: no descriptor came with the request")
	}
	memory, err := job.Map(files[0])
	if err != nil {
		files[0].Close()
		return err
	}
	h.memory = memory
	if h.smallUntil > 0 {
		go hugePagesFrom(memory.Root(), h.smallUntil)
	}
	return nil
}

// spawn starts a rank as a child of the supervisor.
func (h *host) spawn(req *SpawnRequest, files []*os.File) (reply, error) {
	if len(files) != 3 || h.space == nil || h.memory == nil || req.App >= len(h.apps) {
		return reply{}, errors.New("spawn: request out of order")
	}
	app, root := h.apps[req.App], h.memory.Root()
	program, rank := h.programs.number(app.Path), req.Number
	root.SetProgram(rank, program)
	task, err := h.space.Spawn(pvas.TaskSpec{
		Path: app.Path, Args: app.Args, Dir: app.Dir, Name: app.Name,
		Env:   RankEnv(app.Env, rank, req.InWorld, req.Local, fmt.Sprintf("addr:%#x", h.memory.Addr())),
		Stdin: files[0], Stdout: files[1], Stderr: files[2],
		Partition: req.Rank, CPUs: req.CPUs, Node: memoryNode(root, rank), Nice: sys.NiceBy(req.Nice),
		Limits: fileLimit(), Sibling: true, Setpgid: true, Pdeathsig: syscall.SIGKILL,
		Placed: func(l pvas.Layout) {
			root.SetTask(rank, job.Task{Partition: l.Base, Size: l.Size, Arena: l.Arena.Start,
				Small: l.SmallRegion.Start, SmallSize: l.SmallRegion.Len(), ExitHooks: l.ExitHooks})
		},
	})
	if killed, ok := errors.AsType[*pvas.KilledError](err); ok {
		return reply{Pid: killed.Pid}, nil // the supervisor learns how
	}
	if errors.Is(err, syscall.ENOMEM) {
		if limit := limits.AreasTaken(os.Getpid()); limit != nil {
			err = fmt.Errorf("%w: %w", err, limit)
		}
	}
	if err != nil {
		return reply{}, err
	}
	if h.programs.number(app.Path) != program {
		root.SetProgram(rank, 0) // it was replaced meanwhile: nobody knows which one this is
	}
	h.guarded[task.Pid()] = task
	if job.Survives(root) {
		h.placed[rank] = task
	}
	return reply{Pid: task.Pid(), Layout: task.Layout()}, nil
}

// giveBack gives back the memory of ranks that have ended, as far as all others have let it go. It is called before
// others are started, and when one has ended.
func (h *host) giveBack() {
	if h.memory == nil || len(h.placed) == 0 {
		return
	}
	root, own := h.memory.Root(), uint64(sys.HeapAddr(make([]byte, 1)))
	end, ended, other := job.AllLetGo(root), []pvas.Remains(nil), []uint64{own}
	for rank := range root.Ranks() {
		task, heap := h.placed[rank], job.Heap(root, rank)
		if n := job.End(root, rank); task != nil && n != 0 && n <= end {
			ended = append(ended, pvas.Remains{Task: task, Heap: heap})
			delete(h.placed, rank)
		} else {
			other = append(other, heap)
		}
	}
	if ended != nil {
		_ = h.space.GiveBack(ended, other) // an error: it stays
	}
}

// raze kills the ranks, in time that grows with their number and not its square. They are stopped before. One that
// still runs then misses its memory, and ends by that: it was to be killed. If it fails the supervisor kills them.
func (h *host) raze() error {
	if h.space == nil || h.memory == nil {
		return errors.New("raze: request out of order")
	}
	h.signalGuarded(syscall.SIGSTOP)
	at := uint64(h.memory.Addr())
	err := h.space.Raze(pvas.Range{Start: at, End: at + h.memory.Length()})
	h.signalGuarded(syscall.SIGKILL)
	return err
}

func (h *host) signalGuarded(sig syscall.Signal) {
	for pid := range h.guarded {
		sys.Kill(-pid, sig) // an error: nobody is left in it
	}
}

// memoryNode returns the NUMA node for the memory of a rank; nil: it does not matter.
func memoryNode(root *job.Root, rank int) *int {
	if node := root.MemoryNode(rank); node != job.Unknown {
		return &node
	}
	return nil
}

func NewHost(c *Control) *host {
	return &host{control: c, guarded: map[int]*pvas.Task{}, placed: map[int]*pvas.Task{}, programs: programIDs{}}
}

// fileLimit gives ranks the limit on open files that the user set, if the Go library
// has raised it in this process.
func fileLimit() []pvas.Limit {
	soft, hard, ok := nofile.Original()
	if !ok || soft == sys.SoftLimit(sys.RlimitNofile) {
		return nil
	}
	return []pvas.Limit{{Resource: sys.RlimitNofile, Soft: soft, Hard: hard}}
}

// KillAll leaves nothing of the job behind after the supervisor was killed. The
// ranks themselves also die by their death signal; this is for their children.
func (h *host) KillAll() {
	h.signalGuarded(syscall.SIGKILL)
	if h.id != "" {
		killMarked(h.id)
	}
}
