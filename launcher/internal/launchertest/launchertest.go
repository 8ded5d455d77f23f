package launchertest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/pvas"
)

// RanksProgram is testdata/ranks, and Hello is examples/hello: both are built as PIEs before any
// test, since a build may take longer than a job should.
var RanksProgram, Hello string

// BuiltEnv names the folder of programs that are built already, for a user who builds none.
const BuiltEnv = "LAUNCHER_TEST_BUILT"

// JobEnv makes the test binary a supervisor that runs the job in it.
const JobEnv = "LAUNCHER_TEST_JOB"

// Main builds the programs and runs the tests.
func Main(m *testing.M) int {
	testkit.TakeSignals()
	if built := os.Getenv(BuiltEnv); built != "" {
		RanksProgram, Hello = filepath.Join(built, "ranks"), filepath.Join(built, "hello")
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "launcher-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // for other users
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	RanksProgram, Hello = filepath.Join(dir, "ranks"), filepath.Join(dir, "hello")
	flag.Parse()
	if flag.Lookup("test.fuzz").Value.String() != "" {
		return m.Run() // fuzz targets start no job, and each of their workers comes here
	}
	build := exec.Command("go", "build", "-buildmode=pie", "-o", dir,
		"github.com/gopvas/gopvas/launcher/testdata/ranks",
		"github.com/gopvas/gopvas/examples/hello")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the programs: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// EachBTL runs a test in both task models. pvas is left out only where the
// machine cannot do it.
func EachBTL(t *testing.T, f func(t *testing.T, btl string)) {
	for _, btl := range []string{"pvas", "sm"} {
		t.Run("btl="+btl, func(t *testing.T) {
			if btl == "pvas" {
				if err := pvas.Supported(); err != nil {
					t.Skip(err)
				}
			}
			f(t, btl)
		})
	}
}

// EachStackSize has ranks print their limit of stacks, in both task models and with sizes of all kinds. The limit of
// this process stays as it is.
func EachStackSize(t *testing.T, run func(t *testing.T, btl string, size uint64) (stdout string)) {
	if hard := sys.HardLimit(sys.RlimitStack); hard < 1<<30 {
		t.Skipf("the hard limit of stacks is %d", hard)
	}
	before := sys.SoftLimit(sys.RlimitStack)
	EachBTL(t, func(t *testing.T, btl string) {
		for size, want := range map[uint64]string{1 << 30: "1048576", limits.LeastStack: "256",
			sys.Unlimited: "unlimited"} {
			if size > sys.HardLimit(sys.RlimitStack) {
				continue
			}
			require.Equal(t, want+"\n"+want+"\n", run(t, btl, size))
			require.Equal(t, before, sys.SoftLimit(sys.RlimitStack))
		}
	})
}

// UntilReport runs a job that does not end with longer and longer time-outs, until the report in its standard error is
// like want: the first of them may be over before all ranks have been started.
func UntilReport(t *testing.T, timeout *time.Duration, want string, run func() (code int, stderr string)) {
	t.Helper()
	for *timeout = 100 * time.Millisecond; ; *timeout *= 4 {
		code, stderr := run()
		require.Equal(t, fate.CodeTimeout, code)
		require.Contains(t, stderr, fmt.Sprintf("pvasrun: time-out after %v: ", *timeout))
		if regexp.MustCompile(want).MatchString(stderr) {
			return
		}
		require.Less(t, *timeout, 20*time.Second, "no report is like %s: %s", want, stderr)
	}
}

var pidLine = regexp.MustCompile(`(?m)pid (\d+) pgid (\d+)$`)

// PidsIn returns the processes that announced themselves, each of which must
// lead its own group.
func PidsIn(output string) []int {
	var pids []int
	for _, m := range pidLine.FindAllStringSubmatch(output, -1) {
		pid, _ := strconv.Atoi(m[1])
		if m[1] != m[2] {
			panic("rank is not the leader of a process group: " + m[0])
		}
		pids = append(pids, pid)
	}
	return pids
}

// RequireGone waits until the processes have ended.
func RequireGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		require.Eventually(t, func() bool { return Gone(pid) }, 20*time.Second, time.Millisecond,
			"process %d is left", pid)
	}
}

// Gone reports whether a process has ended; whether its parent has taken notice
// is not the question.
func Gone(pid int) bool {
	p, ok := processes.Find(pid)
	return !ok || p.Ended()
}

// A Pvasrun is a supervisor in a process of its own.
type Pvasrun struct {
	T      *testing.T
	Cmd    *exec.Cmd
	Stdout *Watched
	Stderr *Watched
}

// Start starts a test binary again with a job in its environment: a supervisor of its own, which its TestMain makes
// of it. change may change the command before. Whatever is left of it is killed at the end of the test.
func Start(t *testing.T, job any, change func(*exec.Cmd)) *Pvasrun {
	t.Helper()
	text, err := json.Marshal(job)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	p := &Pvasrun{T: t, Cmd: exec.Command(self), Stdout: NewWatched(), Stderr: NewWatched()}
	p.Cmd.Env = append(os.Environ(), JobEnv+"="+string(text))
	p.Cmd.Stdout, p.Cmd.Stderr = p.Stdout, p.Stderr
	p.Cmd.WaitDelay = 20 * time.Second
	change(p.Cmd)
	require.NoError(t, p.Cmd.Start())
	t.Cleanup(func() {
		p.Cmd.Process.Kill()
		p.Cmd.Wait()
		for _, pid := range PidsIn(p.Stdout.String()) {
			if !Gone(pid) {
				sys.Kill(-pid, syscall.SIGKILL)
			}
		}
	})
	return p
}

// AwaitRanks waits until n ranks have announced themselves.
func (p *Pvasrun) AwaitRanks(n int) []int {
	p.T.Helper()
	p.Stdout.Await(p.T, func(text string) bool { return len(PidsIn(text)) >= n })
	return PidsIn(p.Stdout.String())
}

// Child waits for the child of the supervisor that has taken that name. A rank of an address space has the name of the
// host when it begins, but it is younger.
func (p *Pvasrun) Child(name string) (found int) {
	p.T.Helper()
	require.Eventually(p.T, func() bool {
		var oldest int64
		for _, child := range processes.Children(p.Cmd.Process.Pid) {
			if child.Name == name && (found == 0 || child.Start < oldest) {
				found, oldest = child.PID, child.Start
			}
		}
		return found != 0
	}, 20*time.Second, time.Millisecond, "no child is a %s", name)
	return found
}

// Code waits for the supervisor and returns its exit code, 128 + signal if it
// was killed.
func (p *Pvasrun) Code() int {
	p.T.Helper()
	timer := time.AfterFunc(time.Minute, func() { p.Cmd.Process.Kill() })
	defer timer.Stop()
	p.Cmd.Wait()
	if status := p.Cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.Cmd.ProcessState.ExitCode()
}

// Watched is a buffer that one can wait on.
type Watched struct {
	mu      sync.Mutex
	changed *sync.Cond
	buf     bytes.Buffer
}

func NewWatched() *Watched {
	w := &Watched{}
	w.changed = sync.NewCond(&w.mu)
	return w
}

func (w *Watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed.Broadcast()
	return w.buf.Write(b)
}

func (w *Watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// Await waits for text that satisfies ok.
func (w *Watched) Await(t *testing.T, ok func(string) bool) {
	t.Helper()
	expired := false
	timer := time.AfterFunc(time.Minute, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		expired = true
		w.changed.Broadcast()
	})
	defer timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for !ok(w.buf.String()) {
		if expired {
			t.Fatalf("text did not come; there is: %s", w.buf.String())
		}
		w.changed.Wait()
	}
}

// A Reader of a job's output does something once, when it has read a text.
type Reader struct {
	bytes.Buffer
	Text string
	Then func()
}

func (r *Reader) Write(b []byte) (int, error) {
	n, err := r.Buffer.Write(b)
	if r.Then != nil && strings.HasSuffix(r.String(), r.Text) {
		r.Then()
		r.Then = nil
	}
	return n, err
}

func StartSleep(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("/bin/sleep", "1000")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd.Process.Pid
}
