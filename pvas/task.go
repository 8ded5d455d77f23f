package pvas

import (
	"fmt"
	"os"
	"path"
	"sync"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// A TaskSpec describes a task to Spawn, in the terms of os/exec.
type TaskSpec struct {
	Path string   // of the program; not searched in PATH
	Args []string // Args[0] is the name that the program sees
	Env  []string // used as it is, nothing is inherited
	Dir  string   // working directory, empty: the caller's

	Stdin, Stdout, Stderr *os.File // nil: /dev/null; the caller may close them afterwards

	Partition int
	CPUs      []int   // CPUs it may run on, empty: as the caller
	Node      *int    // NUMA node for the memory of its partition, nil: that of whoever touches it first
	Nice      *int    // its niceness, nil: as the caller
	Limits    []Limit // resource limits that differ from the caller's
	Name      string  // shown by ps as the command, empty: last element of Path

	Sibling   bool           // child of the caller's parent, which then waits for it
	Setpgid   bool           // leader of a process group of its own
	Pdeathsig syscall.Signal // sent to it when the thread that is its parent ends

	Placed func(Layout) // called before anything of it is in memory; nil: not called
}

// A Limit is one resource limit (RLIMIT_..., see setrlimit(2)) of a task.
type Limit struct {
	Resource   int
	Soft, Hard uint64
}

// comm is the name the kernel will show, which keeps 15 bytes.
func (s *TaskSpec) comm() string {
	if s.Name != "" {
		return s.Name
	}
	return path.Base(s.Path)
}

// childIDs names a cloned process.
type childIDs struct{ pid, pidfd int }

// A Task is a process in a partition. Its methods may be called by any
// goroutine.
type Task struct {
	pid     int
	layout  Layout
	sibling bool

	mu    sync.Mutex
	pidfd int // -1 once released
	wait  sync.Once
	ws    syscall.WaitStatus
	werr  error
}

// Pid returns the process id.
func (t *Task) Pid() int { return t.pid }

// Layout returns where the parts of the task lie.
func (t *Task) Layout() Layout { return t.layout }

// Wait blocks until the task has ended and returns its status. Its memory stays
// readable for the others until Destroy. A task spawned with Sibling is waited
// for by its parent; here Wait returns ErrNotOwnChild.
func (t *Task) Wait() (syscall.WaitStatus, error) {
	if t.sibling {
		return 0, fmt.Errorf("pvas: wait for pid %d: %w", t.pid, ErrNotOwnChild)
	}
	t.wait.Do(func() {
		if t.ws, t.werr = sys.WaitPid(t.pid); t.werr != nil {
			t.werr = fmt.Errorf("pvas: wait for pid %d: %w", t.pid, t.werr)
		}
	})
	return t.ws, t.werr
}

// Signal sends a signal to the task; os.ErrProcessDone once it has ended.
func (t *Task) Signal(sig syscall.Signal) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pidfd < 0 {
		return os.ErrProcessDone
	}
	if err := sys.PidfdSignal(t.pidfd, sig); err != nil {
		if err == error(syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return fmt.Errorf("pvas: send %v to pid %d: %w", sig, t.pid, err)
	}
	return nil
}

// alive reports whether the task still runs. A zombie uses no memory any more.
func (t *Task) alive() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pidfd >= 0 && !sys.PidfdExited(t.pidfd)
}

// Release closes the descriptor that stands for the task, if the caller knows that it has ended. The Space does so when
// the partition is used again.
func (t *Task) Release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pidfd >= 0 {
		_ = syscall.Close(t.pidfd)
		t.pidfd = -1
	}
}
