package launcher

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/gopvas/gopvas/internal/sys"
)

// A parent is the one thread of the supervisor whose children all processes of
// the job are. It has to be one thread, and to live as long as the job: the death
// signal of a child is sent when the thread that started it ends, whatever the
// rest of that process does. Being the only waiter for its children, it can also
// reap any number of them with one blocking call, and takes no child away from
// other goroutines of the program.
type parent struct {
	tasks  chan func()
	exited chan exit // closed when no child is left
}

// An exit is the end of a child.
type exit struct {
	pid    int
	status syscall.WaitStatus
}

// newParent starts the thread. It runs tasks until closeTasks, then reaps until
// there is no child left.
func newParent() *parent {
	p := &parent{tasks: make(chan func()), exited: make(chan exit)}
	found := make(chan struct{})
	go p.run(found)
	<-found
	return p
}

// run closes found when it has a thread of its own.
func (p *parent) run(found chan struct{}) {
	runtime.LockOSThread()
	if sys.ThreadHasChildren() {
		// Another goroutine started a process on this thread; reaping here would
		// take it away. While the thread is locked, the next try gets another.
		go p.run(found)
		<-found
		runtime.UnlockOSThread()
		return
	}
	close(found)
	// Never unlocked: the thread ends with the goroutine, and whatever its tasks
	// changed about it with the thread.
	defer close(p.exited)
	for task := range p.tasks {
		task()
	}
	for {
		pid, status, err := sys.WaitThread()
		if err != nil { // ECHILD: all have been reaped
			return
		}
		p.exited <- exit{pid, status}
	}
}

// closeTasks ends the phase in which processes are started, and begins the one
// in which they are reaped.
func (p *parent) closeTasks() { close(p.tasks) }

// do runs f on the thread and waits for it.
func (p *parent) do(f func() error) error {
	done := make(chan error, 1)
	p.tasks <- func() { done <- f() }
	return <-done
}

// startHost executes this program again as the space host and returns its pid
// and the connection to it. The host has no death signal: it must outlive a
// killed supervisor to clean up behind it, and leaves at the end of the
// connection, which only the supervisor holds.
func (p *parent) startHost() (int, *control, error) {
	near, far, err := sys.ControlPair()
	if err != nil {
		return 0, nil, fmt.Errorf("launcher: %w", err)
	}
	defer far.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		near.Close()
		return 0, nil, fmt.Errorf("launcher: %w", err)
	}
	defer null.Close()
	var pid int
	err = p.do(func() error {
		var err error
		attr := &syscall.SysProcAttr{Setpgid: true}
		pid, err = sys.Start("/proc/self/exe", []string{hostName}, os.Environ(), "",
			[]*os.File{null, null, os.Stderr, far}, attr)
		return err
	})
	if err != nil {
		near.Close()
		return 0, nil, fmt.Errorf("launcher: start the space host: %w", err)
	}
	c, err := newControl(near)
	if err != nil {
		return 0, nil, errors.Join(err, sys.Kill(pid, syscall.SIGKILL))
	}
	return pid, c, nil
}

// A classic is a rank to be started as a process of its own.
type classic struct {
	path      string
	args, env []string
	dir       string
	files     []*os.File
	cpus      []int // nil: not bound
}

// startClassic starts a rank and returns its pid.
func (p *parent) startClassic(c classic) (pid int, err error) {
	err = p.do(func() error {
		if c.cpus != nil {
			// A child inherits the CPUs of the thread, and so has them from its
			// first instruction on.
			restore, err := bindThread(c.cpus)
			if err != nil {
				return err
			}
			defer restore()
		}
		attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		pid, err = sys.Start(c.path, c.args, c.env, c.dir, c.files, attr)
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
