package testkit

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// mark is the first of the advices of madvise(0, 0, advice) by which a program tells in which phase it is.
const mark = 1000

// envCounted has a test binary filter its calls and execute the command in its arguments: see CountedMain.
const envCounted = "TESTKIT_COUNTED"

// Calls are how many calls that change the areas of an address space the threads of a process have made, by phase.
// Before the first mark the phase is 0.
type Calls map[int]int

// CountedMain is called first in TestMain of a package that uses CountCalls.
func CountedMain() {
	if os.Getenv(envCounted) == "" {
		return
	}
	_ = os.Unsetenv(envCounted)
	if err := traceAreaCalls(); err != nil {
		os.Exit(125)
	}
	_ = syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	os.Exit(126)
}

// CountCalls runs a command and counts calls of its processes. It returns those of processes that have told a phase. It
// skips the test where this process may not trace others.
func CountCalls(t *testing.T, argv ...string) (all []Calls) {
	t.Helper()
	runtime.LockOSThread() // the tracer is this thread
	defer runtime.UnlockOSThread()
	cmd := exec.Command("/proc/self/exe", argv...)
	cmd.Env = append(os.Environ(), envCounted+"=1")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Skipf("ptrace is not permitted: %v", err)
	}
	c := counter{first: cmd.Process.Pid, processOf: map[int]int{}, phase: map[int]int{}, calls: map[int]Calls{}}
	status, err := c.run()
	if err != nil || status != 0 {
		t.Fatalf("%v: status %#x: %v", argv, status, err)
	}
	for pid := range c.phase {
		all = append(all, c.calls[pid])
	}
	return all
}

// A counter traces processes. It belongs to one thread.
type counter struct {
	first     int // the process that was started
	started   bool
	processOf map[int]int // of threads
	phase     map[int]int // of processes
	calls     map[int]Calls
}

const (
	allThreads   = 0x40000000 // __WALL
	eventSeccomp = 7          // PTRACE_EVENT_SECCOMP
	killWithUs   = 1 << 20    // PTRACE_O_EXITKILL
	options      = killWithUs | 1<<eventSeccomp | 1<<syscall.PTRACE_EVENT_FORK | 1<<syscall.PTRACE_EVENT_VFORK |
		1<<syscall.PTRACE_EVENT_CLONE | 1<<syscall.PTRACE_EVENT_EXEC
)

// run traces until nobody is left, and returns the status of the first process.
func (c *counter) run() (first syscall.WaitStatus, err error) {
	for {
		var status syscall.WaitStatus
		tid, err := syscall.Wait4(-1, &status, allThreads, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.ECHILD):
			return first, nil
		case err != nil:
			return first, err
		case !status.Stopped():
			if tid == c.first {
				first = status
			}
			continue
		}
		if err := c.stopped(tid, status); err != nil && !errors.Is(err, syscall.ESRCH) { // it was killed
			return first, err
		}
	}
}

// stopped handles a stop of a thread and lets it go on.
func (c *counter) stopped(tid int, status syscall.WaitStatus) error {
	signal := 0
	switch {
	case !c.started:
		c.started = true
		if err := syscall.PtraceSetOptions(tid, options); err != nil {
			return err
		}
	case status>>16 == eventSeccomp:
		if err := c.count(tid); err != nil {
			return err
		}
	case status>>16 == 0 && status.StopSignal() != syscall.SIGSTOP && status.StopSignal() != syscall.SIGTRAP:
		signal = int(status.StopSignal())
	}
	return syscall.PtraceCont(tid, signal)
}

func (c *counter) count(tid int) error {
	pid, known := c.processOf[tid]
	if !known {
		pid = processOf(tid)
		c.processOf[tid] = pid
	}
	advice, err := adviceOfNothing(tid)
	if err != nil {
		return err
	}
	if advice > mark {
		c.phase[pid] = advice - mark
		return nil
	}
	if c.calls[pid] == nil {
		c.calls[pid] = Calls{}
	}
	c.calls[pid][c.phase[pid]]++
	return nil
}

// processOf returns the process of a thread.
func processOf(tid int) int {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(tid) + "/status")
	_, after, _ := strings.Cut(string(text), "\nTgid:")
	line, _, _ := strings.Cut(after, "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return pid
}
