package launcher

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/processes"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/internal/testkit"
	"github.com/gopvas/gopvas/pvas"
)

// ranksProgram is testdata/ranks, and hello is examples/hello: both are built as PIEs before any
// test, since a build may take longer than a job should.
var ranksProgram, hello string

// superviseEnv makes the test binary a supervisor that runs the job in it.
const superviseEnv = "LAUNCHER_TEST_JOB"

func TestMain(m *testing.M) {
	if fault := os.Getenv(faultEnv); fault != "" && os.Args[0] == hostName {
		os.Exit(faultyHost(fault))
	}
	HostMain()
	if len(os.Args) == 2 && os.Args[1] == "node" {
		os.Exit(NodeMain(testInstruments))
	}
	if text := os.Getenv(superviseEnv); text != "" {
		os.Exit(superviseMain(text))
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	testkit.TakeSignals()
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
	ranksProgram, hello = filepath.Join(dir, "ranks"), filepath.Join(dir, "hello")
	flag.Parse()
	if flag.Lookup("test.fuzz").Value.String() != "" {
		return m.Run() // fuzz targets start no job, and each of their workers comes here
	}
	build := exec.Command("go", "build", "-buildmode=pie", "-o", dir, "./testdata/ranks", "../examples/hello")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the programs: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// A sentJob is what a job for another process may say.
type sentJob struct {
	BTL   string
	Apps  []App
	Nodes *Nodes // nil: this one
}

// superviseMain is a pvasrun in miniature.
func superviseMain(text string) int {
	var sent sentJob
	if err := json.Unmarshal([]byte(text), &sent); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	os.Unsetenv(superviseEnv)
	j := Job{BTL: sent.BTL, Apps: sent.Apps}
	signals, stop := ForwardedSignals()
	defer stop()
	j.Stdin, j.Stdout, j.Stderr, j.Signals = os.Stdin, os.Stdout, os.Stderr, signals
	runJob := Run
	if sent.Nodes != nil {
		runJob = func(ctx context.Context, j Job) (*Result, error) { return RunNodes(ctx, j, *sent.Nodes) }
	}
	result, err := runJob(context.Background(), j)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pvasrun:", err)
		return ExitCode(err)
	}
	return result.Code
}

// eachBTL runs a test in both task models. pvas is left out only where the
// machine cannot do it.
func eachBTL(t *testing.T, f func(t *testing.T, btl string)) {
	for _, btl := range []string{btlPvas, btlSM} {
		t.Run("btl="+btl, func(t *testing.T) {
			if btl == btlPvas {
				if err := pvas.Supported(); err != nil {
					t.Skip(err)
				}
			}
			f(t, btl)
		})
	}
}

// ranks is a job of n ranks of the test program.
func ranks(btl string, n int, args ...string) Job {
	return Job{BTL: btl, Apps: []App{{Program: ranksProgram, Args: args, N: n}}}
}

// outcome is what a job left.
type outcome struct {
	*Result
	err            error
	stdout, stderr string
}

// run runs a job in this process, with a deadline that a correct job never
// meets, and checks that it left no process.
func run(t *testing.T, j Job) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	if j.Stdout == nil {
		j.Stdout = &stdout
	}
	if j.Stderr == nil {
		j.Stderr = &stderr
	}
	result, err := Run(ctx, j)
	require.NoError(t, ctx.Err(), "the job hung; stderr: %s", &stderr)
	requireGone(t, pidsIn(stdout.String()))
	require.Empty(t, children(os.Getpid()), "processes left behind")
	return outcome{result, err, stdout.String(), stderr.String()}
}

var pidLine = regexp.MustCompile(`(?m)pid (\d+) pgid (\d+)$`)

// pidsIn returns the processes that announced themselves, each of which must
// lead its own group.
func pidsIn(output string) []int {
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

// requireGone waits until the processes have ended.
func requireGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		require.Eventually(t, func() bool { return gone(pid) }, 20*time.Second, time.Millisecond,
			"process %d is left", pid)
	}
}

// gone reports whether a process has ended; whether its parent has taken notice
// is not the question.
func gone(pid int) bool {
	p, ok := processes.Find(pid)
	return !ok || p.Ended()
}

// A pvasrun is a supervisor in a process of its own.
type pvasrun struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout *watched
	stderr *watched
}

// startPvasrun starts a job under a supervisor of its own. Whatever is left of
// it is killed at the end of the test.
func startPvasrun(t *testing.T, j Job) *pvasrun {
	t.Helper()
	return startPvasrunWith(t, j, func(*exec.Cmd) {})
}

// startPvasrunWith lets the caller change the command before it is started.
func startPvasrunWith(t *testing.T, j Job, change func(*exec.Cmd)) *pvasrun {
	t.Helper()
	return startSent(t, sentJob{BTL: j.BTL, Apps: j.Apps}, change)
}

func startSent(t *testing.T, sent sentJob, change func(*exec.Cmd)) *pvasrun {
	t.Helper()
	text, err := json.Marshal(sent)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	p := &pvasrun{t: t, cmd: exec.Command(self), stdout: newWatched(), stderr: newWatched()}
	p.cmd.Env = append(os.Environ(), superviseEnv+"="+string(text))
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	p.cmd.WaitDelay = 20 * time.Second
	change(p.cmd)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		for _, pid := range pidsIn(p.stdout.String()) {
			if !gone(pid) {
				sys.Kill(-pid, syscall.SIGKILL)
			}
		}
	})
	return p
}

// awaitRanks waits until n ranks have announced themselves.
func (p *pvasrun) awaitRanks(n int) []int {
	p.t.Helper()
	p.stdout.await(p.t, func(text string) bool { return len(pidsIn(text)) >= n })
	return pidsIn(p.stdout.String())
}

// host returns the pid of the space host.
func (p *pvasrun) host() int { return p.child(hostName) }

// child waits for the child of the supervisor that was started by that name: in the middle of
// execve, which takes long for a guard, a process has no name. The ranks of an address space have
// its arguments, too, but their own names.
func (p *pvasrun) child(name string) (found int) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		found = 0
		for _, pid := range children(p.cmd.Process.Pid) {
			comm, _ := os.ReadFile(processes.File(pid, "comm"))
			if args := processes.Args(pid); len(args) > 0 && args[0] == name && string(comm) == "exe\n" {
				found = pid
			}
		}
		return found != 0
	}, 20*time.Second, time.Millisecond, "no child is a %s", name)
	return found
}

// code waits for the supervisor and returns its exit code, 128 + signal if it
// was killed.
func (p *pvasrun) code() int {
	p.t.Helper()
	timer := time.AfterFunc(time.Minute, func() { p.cmd.Process.Kill() })
	defer timer.Stop()
	p.cmd.Wait()
	return exitCode(p.cmd.ProcessState.Sys().(syscall.WaitStatus))
}

// watched is a buffer that one can wait on.
type watched struct {
	mu      sync.Mutex
	changed *sync.Cond
	buf     bytes.Buffer
}

func newWatched() *watched {
	w := &watched{}
	w.changed = sync.NewCond(&w.mu)
	return w
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed.Broadcast()
	return w.buf.Write(b)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// await waits for text that satisfies ok.
func (w *watched) await(t *testing.T, ok func(string) bool) {
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
