package host

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// The host watches over the supervisor, and the supervisor over the host. The
// guard is a third process, for the case that both are killed together: ranks then
// die by their death signal, and the guard kills their children. It is this
// program executed again, which waits for the end of a pipe that only the
// supervisor holds open. It does not carry the mark of the job.
const (
	GuardName = "pvasrun-guard" // argv[0]
	guardFd   = 3               // the pipe

	// lessUrgent is the niceness of the guard, at least. With 19 beside ten other processes on each CPU it takes
	// seconds to end when it is killed, and so does the job.
	lessUrgent = 10
)

// guardMain serves as a guard; id is the name of the job.
func guardMain(id string) int {
	// It waits in the runtime's poller. A wait in read would keep the runtime's monitor awake for 5 ms.
	_ = syscall.SetNonblock(guardFd, true)
	pipe := os.NewFile(guardFd, "supervisor")
	_, _ = io.Copy(io.Discard, pipe) // nothing is written: its end is that of the supervisor
	killMarked(id)
	return 0
}

// startGuard starts the guard of a job and returns its pid.
func (p *Parent) startGuard(id string) (int, error) {
	near, far, err := sys.Pipe(true)
	if err != nil {
		return 0, fmt.Errorf("launcher: %w", err)
	}
	defer far.Close()
	pid, err := p.startSelf([]string{GuardName, id}, unset(os.Environ(), EnvID), far)
	if err != nil {
		near.Close()
		return 0, fmt.Errorf("launcher: start the guard: %w", err)
	}
	p.guarded = near
	// Its start, some 3 ms, must not delay that of the ranks. Only a privileged user may make it more urgent than this
	// process is. An error means that it delays them, no more.
	if sys.Niceness() < lessUrgent {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, pid, lessUrgent)
	}
	return pid, nil
}

// startSelf executes this program again, in a process group of its own, with a
// file as its descriptor 3. It has no death signal: it must outlive a killed
// supervisor. The tasks of a space host use one another's pages, and would draw them to their NUMA nodes.
func (p *Parent) startSelf(argv, env []string, file *os.File) (pid int, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	err = p.do(func() error {
		attr := &syscall.SysProcAttr{Setpgid: true}
		return sys.Unbalanced(func() error {
			pid, err = sys.Start("/proc/self/exe", argv, env, "", []*os.File{null, null, os.Stderr, file}, attr)
			return err
		})
	})
	return pid, err
}
