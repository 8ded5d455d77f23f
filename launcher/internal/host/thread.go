package host

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// A Parent is the one thread of the supervisor that starts the processes of the
// job. It has to be one thread, and to live as long as the job: the death signal
// of a child is sent when the thread that started it ends, whatever the rest of
// that process does.
type Parent struct {
	tasks chan func()
	done  chan struct{} // closed by close
	stack uint64        // limit of stacks that its processes get, see Job.StackSize

	guarded *os.File // its end tells the guard that this process has ended; nil: no guard
}

// rankSlice is the time slice of ranks: the least that the kernel takes. A rank that waits sleeps where others want the
// CPU. When it is woken it gets the CPU at once, though they compute. A barrier of 2 ranks beside two tasks for
// each CPU took a fifth of the time.
const rankSlice = 100 * time.Microsecond

// ShortenSlices gives this process, and what it starts, the slices of ranks. When a supervisor, agent or leader is
// woken it gets the CPU before tasks that compute. So others hear it in time, also beside a hundred such tasks.
func ShortenSlices() { sys.ShortenSlices(rankSlice) }

// An Exit is the end of a child.
type Exit struct {
	Pid    int
	Status syscall.WaitStatus
	Used   sys.Used
}

// NewParent starts the thread. It runs tasks until close.
func NewParent(stack uint64, slack int) *Parent {
	ShortenSlices()
	p := &Parent{tasks: make(chan func()), done: make(chan struct{}), stack: stack}
	go p.run(slack)
	return p
}

func (p *Parent) run(slack int) {
	// Never unlocked: the thread ends with the goroutine, and whatever its tasks
	// changed about it with the thread.
	runtime.LockOSThread()
	job.StartWithMonitorSlack(slack)
	for {
		select {
		case task := <-p.tasks:
			task()
		case <-p.done:
			return
		}
	}
}

// Close ends the thread. The guard has been killed before.
func (p *Parent) Close() {
	close(p.done)
	if p.guarded != nil {
		p.guarded.Close()
	}
}

// do runs f, which starts a process, on the thread and waits for it.
func (p *Parent) do(f func() error) error {
	result := make(chan error, 1)
	select {
	case p.tasks <- func() { result <- WithStack(p.stack, f) }:
		return <-result
	case <-p.done: // the supervisor has given up the caller
		return ErrOver
	}
}

// hugePages is held while they are off for this process, in the start of a host. Another job of this process must not
// take that for how the process was started.
var hugePages sync.Mutex

// SmallPages tells whether this process was started without transparent huge pages.
func SmallPages() bool {
	hugePages.Lock()
	defer hugePages.Unlock()
	return sys.HugePagesAreOff()
}

// A Started is a space host with the connection to it, and the guard.
type Started struct {
	Pid, Guard int
	Control    *Control
}

// StartHost starts the space host of a job, and its guard. The host leaves at the
// end of the connection, which only the supervisor holds. It carries the mark of
// the job, because a fork of its tasks without exec shows its environment.
func (p *Parent) StartHost(id string) (h Started, err error) {
	near, far, err := sys.ControlPair()
	if err != nil {
		return h, fmt.Errorf("launcher: %w", err)
	}
	defer far.Close()
	hugePages.Lock()
	defer hugePages.Unlock()
	if !sys.HugePagesAreOff() { // both processes inherit it; the host allows them to the ranks
		_ = sys.UnadvisedHugePagesOff()
		defer func() { _ = sys.HugePagesOn() }()
	}
	if h.Pid, err = p.startSelf([]string{Name}, lastOfEach(append(os.Environ(), EnvID+"="+id)), far); err != nil {
		near.Close()
		return h, fmt.Errorf("launcher: start the space host: %w", err)
	}
	if h.Control, err = NewControl(near); err != nil {
		return h, err
	}
	h.Guard, err = p.startGuard(id)
	return h, err
}

// StartClassic starts a rank as a process of its own, and returns its pid. The CPUs are nil if it is not bound.
// oneNode: they are in one of several NUMA nodes, and peers that read the rank's pages must not draw them to theirs.
func (p *Parent) StartClassic(app *App, env []string, files []*os.File, cpus []int, oneNode bool) (pid int,
	err error) {
	err = p.do(func() error {
		if cpus != nil {
			// A child inherits the CPUs of the thread, and so has them from its
			// first instruction on.
			restore, err := bindThread(cpus)
			if err != nil {
				return err
			}
			defer restore()
		}
		attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		start := func() error {
			pid, err = sys.Start(app.Path, app.Args, env, app.Dir, files, attr)
			return err
		}
		if oneNode {
			return sys.Unbalanced(start)
		}
		return start()
	})
	return pid, err
}

func bindThread(cpus []int) (restore func(), err error) {
	old, err := sys.Affinity()
	if err != nil {
		return nil, err
	}
	if err := sys.SetAffinity(cpus); err != nil {
		return nil, err
	}
	return func() { sys.SetAffinity(old) }, nil
}
