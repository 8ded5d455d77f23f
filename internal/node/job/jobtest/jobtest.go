package jobtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// envProgram tells the restarted test binary which program it is.
const envProgram = "JOBTEST_PROGRAM"

// patience is how long a job may take before it counts as hanging. It is no
// measure of speed: it bounds what a failing test costs.
const patience = 90 * time.Second

// Main is to be called from TestMain. In a process that Start started it runs the
// program instead of the tests and exits, with code 1 and a message if the
// program returns an error.
func Main(m *testing.M, programs map[string]func() error) {
	name := os.Getenv(envProgram)
	if name == "" {
		os.Exit(m.Run())
	}
	program, ok := programs[name]
	err := fmt.Errorf("jobtest: no program %q", name)
	if ok {
		err = program()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Create makes a job whose ranks are goroutines of the test. Its memory is there until the end of the test.
func Create(t testing.TB, c job.Config) *job.Memory {
	t.Helper()
	memory, err := job.Create(c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memory.Close()) })
	return memory
}

// Ranks runs f as each rank of a job, in a goroutine. A rank is marked as gone when f is over, as the supervisor does.
func Ranks(t testing.TB, root *job.Root, f func(rank int) error) {
	t.Helper()
	var all sync.WaitGroup
	for rank := range root.Ranks() {
		all.Go(func() {
			defer root.MarkGone(rank)
			if err := f(rank); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	all.Wait()
}

// Job is a running job.
type Job struct {
	Memory *job.Memory
	ranks  []*rank
}

type rank struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	reaped         chan struct{}
}

// Exit is how a rank ended.
type Exit struct {
	Code           int            // exit code, -1 if killed by a signal
	Signal         syscall.Signal // 0 if not killed
	Stdout, Stderr string
}

// Start starts c.Ranks processes that run the program, with the given additional
// environment. All of them are dead before the test is over, whatever happens. Under the race detector, which sees
// nothing of what processes do to one another, it skips the test.
func Start(t testing.TB, c job.Config, program string, env ...string) *Job {
	t.Helper()
	if testkit.Race {
		t.Skip("the race detector sees nothing of what processes do to one another")
	}
	mem, err := job.Create(c)
	require.NoError(t, err)
	j := &Job{Memory: mem}
	t.Cleanup(func() {
		j.kill()
		for _, r := range j.ranks {
			<-r.reaped
		}
		require.NoError(t, mem.Close())
	})
	for i := range c.Ranks {
		r := newRank(program, append(env[:len(env):len(env)],
			fmt.Sprintf("%s=%d", job.EnvRank, i),
			fmt.Sprintf("%s=%d", job.EnvSize, c.Ranks),
			job.EnvJob+"=fd:3",
			job.EnvProgram+"=/path/of/"+program))
		r.cmd.ExtraFiles = []*os.File{mem.File()}
		require.NoError(t, r.cmd.Start())
		j.ranks = append(j.ranks, r)
		go func() {
			_ = sys.AwaitEnd(r.cmd.Process.Pid) // an error is that of Wait
			mem.Root().Reaping(r.cmd.Process.Pid)
			_ = r.cmd.Wait() // the status is in ProcessState
			mem.Root().MarkGone(i)
			close(r.reaped)
		}()
	}
	watchdog := time.AfterFunc(patience, func() {
		t.Errorf("jobtest: job of %d ranks (%s) hangs; killing it", c.Ranks, program)
		j.kill()
	})
	t.Cleanup(func() { watchdog.Stop() }) // runs before the other clean-up
	return j
}

// newRank prepares a process that runs the program.
func newRank(program string, env []string) *rank {
	r := &rank{cmd: exec.Command("/proc/self/exe", "-test.run=^$"), reaped: make(chan struct{})}
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	r.cmd.Env = append(append(os.Environ(), env...), envProgram+"="+program,
		"GORACE=atexit_sleep_ms=0") // else each process of a race build takes a second to exit
	// The signal also comes when the starting thread ends. Go ends threads only with
	// goroutines locked to them, and tests here have none.
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return r
}

// Alone runs the program in one process that is in no job, and returns how it
// ended. It does not outlive the test.
func Alone(t testing.TB, program string, env ...string) Exit {
	t.Helper()
	r := newRank(program, env)
	require.NoError(t, r.cmd.Start())
	watchdog := time.AfterFunc(patience, func() {
		t.Errorf("jobtest: %s hangs; killing it", program)
		_ = r.cmd.Process.Kill()
	})
	defer watchdog.Stop()
	_ = r.cmd.Wait() // the status is in ProcessState
	return r.exit()
}

// exit tells how a rank that was reaped has ended.
func (r *rank) exit() Exit {
	e := Exit{Code: r.cmd.ProcessState.ExitCode(), Stdout: r.stdout.String(), Stderr: r.stderr.String()}
	if ws, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Signal = ws.Signal()
	}
	return e
}

// Kill kills a rank with SIGKILL. It does not wait for its death.
func (j *Job) Kill(rank int) error {
	err := j.ranks[rank].cmd.Process.Kill()
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

func (j *Job) kill() {
	for i := range j.ranks {
		_ = j.Kill(i) // nothing to be done about one that cannot be killed
	}
}

// Wait blocks until all ranks have ended and returns how.
func (j *Job) Wait() []Exit {
	exits := make([]Exit, len(j.ranks))
	for i, r := range j.ranks {
		<-r.reaped
		exits[i] = r.exit()
	}
	return exits
}

// Run starts a job, waits for it, and fails the test unless every rank exits with
// code 0. It returns what each printed on its standard output.
func Run(t testing.TB, c job.Config, program string, env ...string) []string {
	t.Helper()
	var out []string
	failed := false
	for i, e := range Start(t, c, program, env...).Wait() {
		if e.Code != 0 { // all of them: the first is often only a victim
			t.Errorf("rank %d: exit code %d, signal %v\n%s", i, e.Code, e.Signal, e.Stderr)
			failed = true
		}
		out = append(out, e.Stdout)
	}
	if failed {
		t.FailNow()
	}
	return out
}
