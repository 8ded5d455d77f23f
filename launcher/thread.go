package launcher

import (
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/sys"
)

// A parent is the one thread of the supervisor that starts the processes of the
// job. It has to be one thread, and to live as long as the job: the death signal
// of a child is sent when the thread that started it ends, whatever the rest of
// that process does.
type parent struct {
	tasks chan func()
	done  chan struct{} // closed by close
	stack uint64        // limit of stacks that its processes get, see Job.StackSize

	guarded *os.File // its end tells the guard that this process has ended; nil: no guard
}

// An exit is the end of a child.
type exit struct {
	pid    int
	status syscall.WaitStatus
}

// newParent starts the thread. It runs tasks until close.
func newParent(stack uint64) *parent {
	p := &parent{tasks: make(chan func()), done: make(chan struct{}), stack: stack}
	go p.run()
	return p
}

func (p *parent) run() {
	// Never unlocked: the thread ends with the goroutine, and whatever its tasks
	// changed about it with the thread.
	runtime.LockOSThread()
	job.StartWithMonitorSlack()
	for {
		select {
		case task := <-p.tasks:
			task()
		case <-p.done:
			return
		}
	}
}

// close ends the thread. The guard has been killed before.
func (p *parent) close() {
	close(p.done)
	if p.guarded != nil {
		p.guarded.Close()
	}
}

// do runs f, which starts a process, on the thread and waits for it.
func (p *parent) do(f func() error) error {
	result := make(chan error, 1)
	select {
	case p.tasks <- func() { result <- withStack(p.stack, f) }:
		return <-result
	case <-p.done: // the supervisor has given up the caller
		return errOver
	}
}

// A startedHost is a space host with the connection to it, and the guard.
type startedHost struct {
	pid, guard int
	control    *control
}

// startHost starts the space host of a job, and its guard. The host leaves at the
// end of the connection, which only the supervisor holds. It carries the mark of
// the job, because a fork of its tasks without exec shows its environment.
func (p *parent) startHost(id string) (h startedHost, err error) {
	near, far, err := sys.ControlPair()
	if err != nil {
		return h, fmt.Errorf("launcher: %w", err)
	}
	defer far.Close()
	if h.pid, err = p.startSelf([]string{hostName}, lastOfEach(append(os.Environ(), EnvID+"="+id)), far); err != nil {
		near.Close()
		return h, fmt.Errorf("launcher: start the space host: %w", err)
	}
	if h.control, err = newControl(near); err != nil {
		return h, err
	}
	h.guard, err = p.startGuard(id)
	return h, err
}

// startClassic starts a rank as a process of its own, and returns its pid. The CPUs are nil if it is not bound.
func (p *parent) startClassic(app *hostApp, env []string, files []*os.File, cpus []int) (pid int, err error) {
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
		pid, err = sys.Start(app.Path, app.Args, env, app.Dir, files, attr)
		return err
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
