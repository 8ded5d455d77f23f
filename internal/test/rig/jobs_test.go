package rig

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// pvasrun and the programs of testdata are built once.
var pvasrun, work, files, windows string

// atATime is how many tests run at a time, each with a rig of its own. They mostly wait: for
// a node to count as lost, and for Slurm to trust one again.
const atATime = "4"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", atATime); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "rig")
	if err == nil {
		pvasrun, work = filepath.Join(dir, "pvasrun"), filepath.Join(dir, "work")
		files, windows = filepath.Join(dir, "files"), filepath.Join(dir, "mpi.test")
		err = build()
	}
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

func build() error {
	for path, pkg := range map[string]string{
		pvasrun: "../../../cmd/pvasrun", work: "./testdata/work", files: "./testdata/files",
	} {
		if out, err := exec.Command("go", "build", "-buildmode=pie", "-o", path, pkg).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	// Its tests are no main package: started with a name, the binary is that program.
	make := exec.Command("go", "test", "-c", "-buildmode=pie", "-o", windows, "../../../mpi")
	if out, err := make.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

const sshTool = "ssh-keygen"

// withSSH is a rig with sshd, and what else is needed.
func withSSH(t testing.TB, n int, needs ...string) *Rig {
	r := Up(t, n, append([]string{"sshd", "ssh", sshTool}, needs...)...)
	r.StartSSH()
	return r
}

// cluster is a rig with both.
func cluster(t testing.TB, n int) *Rig {
	r := withSSH(t, n, SlurmTools...)
	r.StartSlurm(4)
	return r
}

// withSlurm is a rig with Slurm.
func withSlurm(t testing.TB, n int) *Rig {
	r := Up(t, n, SlurmTools...)
	r.StartSlurm(4)
	return r
}

// hosts is the value of --hosts for all nodes of a rig.
func hosts(r *Rig, ranks int) string {
	var list []string
	for i := range r.Size() {
		list = append(list, fmt.Sprintf("n%d:%d", i, ranks))
	}
	return strings.Join(list, ",")
}

// bySSH and bySlurm are the ways to start pvasrun on node 0, in front of its arguments.
func bySSH(r *Rig, ranks int) []string { return []string{pvasrun, "--hosts", hosts(r, ranks)} }

func bySlurm(r *Rig, ranks int) []string {
	return []string{"salloc", "-Q", fmt.Sprintf("-N%d", r.Size()), fmt.Sprintf("--ntasks-per-node=%d", ranks), pvasrun}
}

var starts = map[string]func(*Rig, int) []string{"ssh": bySSH, "slurm": bySlurm}

// eachStart runs a test for each way to start, on a rig of so many nodes.
func eachStart(t *testing.T, nodes int, test func(t *testing.T, r *Rig, name string)) {
	t.Parallel()
	for name := range starts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "ssh" {
				test(t, withSSH(t, nodes), name)
			} else {
				test(t, withSlurm(t, nodes), name)
			}
		})
	}
}

// job is a pvasrun on node 0 that runs.
type job struct {
	r              *Rig
	cmd            *exec.Cmd
	stdout, stderr testkit.Output
	ended          chan struct{}
}

func (r *Rig) start(argv []string, change func(*exec.Cmd)) *job { return r.startOn(0, argv, change) }

// startOn is start for a pvasrun on some node.
func (r *Rig) startOn(node int, argv []string, change func(*exec.Cmd)) *job {
	j := &job{r: r, cmd: r.Command(node, argv...), ended: make(chan struct{})}
	j.cmd.Stdout, j.cmd.Stderr = &j.stdout, &j.stderr
	j.cmd.WaitDelay = 5 * time.Second
	if change != nil {
		change(j.cmd)
	}
	require.NoError(r.t, j.cmd.Start())
	go func() {
		_ = j.cmd.Wait() // code says how
		close(j.ended)
	}()
	return j
}

// wait returns the exit code, 128 + signal if it was killed.
func (j *job) wait(t testing.TB, within time.Duration) int {
	t.Helper()
	select {
	case <-j.ended:
	case <-time.After(within):
		_ = j.cmd.Process.Kill()
		<-j.ended
		require.Fail(t, "the job hangs", "%s%s%s", &j.stdout, &j.stderr, j.r.describe())
	}
	status := j.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// awaitRanks waits until so many have announced themselves.
func (j *job) awaitRanks(t testing.TB, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Count(j.stdout.String(), " pid ") == n },
		time.Minute, time.Millisecond,
		"%s%s", &j.stdout, &j.stderr)
}

// daemons are what stays on a node when no job runs. The process of an ssh session that was cut
// off stays until its connection times out.
var daemons = regexp.MustCompile(`^(\S*sshd|munged|: slurmscriptd|slurm|\S*/slurm)`)

// left returns what is left of jobs.
func (r *Rig) left() (list []string) {
	for i := range r.nodes {
		for _, p := range r.Processes(i) {
			if line := strings.Join(p.Args, " "); !daemons.MatchString(line) {
				list = append(list, fmt.Sprintf("n%d: pid %d: %s", i, p.Pid, line))
			}
		}
	}
	return list
}

func (r *Rig) describe() string { return strings.Join(r.left(), "\n") }

// requireNothing waits until nothing is left of jobs.
func (r *Rig) requireNothing(t testing.TB) {
	t.Helper()
	var left []string
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if left = r.left(); len(left) == 0 {
			return
		}
	}
	require.Empty(t, left, "left behind")
}

// find returns the processes of a node whose command line matches.
func (r *Rig) find(node int, pattern string) (pids []int) {
	like := regexp.MustCompile(pattern)
	for _, p := range r.Processes(node) {
		if like.MatchString(strings.Join(p.Args, " ")) {
			pids = append(pids, p.Pid)
		}
	}
	return pids
}

// rankOn returns the process of a rank of a node, as this machine knows it.
func (j *job) rankOn(t testing.TB, node int) (rank string, pid int) {
	t.Helper()
	m := regexp.MustCompile(fmt.Sprintf(`rank (\d+) of \d+ on n%d pid (\d+)`,
		node)).FindStringSubmatch(j.stdout.String())
	require.NotNil(t, m, &j.stdout)
	return m[1], j.r.Outside(node, m[2])
}

// Jobs started by ssh and in a Slurm allocation: messages, streams, exit codes.
func TestJobs(t *testing.T) {
	eachStart(t, 3, func(t *testing.T, r *Rig, name string) {
		by := starts[name]
		j := r.start(append(by(r, 2), work, "check"), nil)
		require.Zero(t, j.wait(t, time.Minute), &j.stderr)
		var where []string
		for _, line := range strings.Split(strings.TrimSpace(j.stdout.String()), "\n") {
			where = append(where, strings.Join(strings.Fields(line)[:6], " "))
		}
		slices.Sort(where)
		require.Equal(t, []string{"rank 0 of 6 on n0", "rank 1 of 6 on n0", "rank 2 of 6 on n1", "rank 3 of 6 on n1",
			"rank 4 of 6 on n2", "rank 5 of 6 on n2"}, where)
		require.Empty(t, j.stderr.String())

		j = r.start(append(by(r, 2), "--tag-output", "sh", "-c", "cat; echo error >&2"),
			func(cmd *exec.Cmd) { cmd.Stdin = strings.NewReader("to rank 0\n") })
		require.Zero(t, j.wait(t, time.Minute))
		require.Equal(t, "[0]<stdout>: to rank 0\n", j.stdout.String())
		require.Equal(t, 6, strings.Count(j.stderr.String(), "<stderr>: error\n"))

		j = r.start(append(by(r, 2), "sh", "-c", "exit $((PVAS_RANK == 4 ? 7 : 0))"), nil)
		require.Equal(t, 7, j.wait(t, time.Minute))
		require.Regexp(t, `pvasrun: rank 4 \(pid \d+, sh\) on n2 exited with code 7`, j.stderr.String())
		r.requireNothing(t)
	})
}

// A batch script of Slurm needs to say nothing of nodes, ranks and threads.
func TestBatch(t *testing.T) {
	t.Parallel()
	r := withSlurm(t, 3)
	out := filepath.Join(t.TempDir(), "out")
	script := "#!/bin/sh\n" + pvasrun + " " + work + " check\n" +
		pvasrun + " sh -c 'echo rank $PVAS_RANK has $OMP_NUM_THREADS threads'\n" +
		"srun --mpi=pmi2 " + pvasrun + " --pmi sh -c 'echo task $PVAS_RANK has $OMP_NUM_THREADS threads'\n"
	path := filepath.Join(t.TempDir(), "batch")
	require.NoError(t, os.WriteFile(path, []byte(script), 0o755))
	r.Run(0, "sbatch", "-W", "-Q", "-N3", "--ntasks-per-node=1", "--cpus-per-task=2", "-o", out, path)
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	for i := range 3 {
		require.Contains(t, string(text), fmt.Sprintf("rank %d of 3 on n%d", i, i))
		require.Contains(t, string(text), fmt.Sprintf("rank %d has 2 threads", i))
		require.Contains(t, string(text), fmt.Sprintf("task %d has 2 threads", i))
	}
}

// Ranks that wait for one another around all nodes are found.
func TestDeadlock(t *testing.T) {
	t.Parallel()
	r := withSSH(t, 3)
	j := r.start(append(bySSH(r, 1), "--deadlock", "off", work, "stuck"), nil)
	j.awaitRanks(t, 3)
	leader := r.find(0, `pvasrun --hosts`)
	require.Len(t, leader, 1)
	require.Eventually(t, func() bool { // a report proves nothing before they have waited for a while
		_ = syscall.Kill(leader[0], syscall.SIGQUIT)
		return strings.Contains(j.stderr.String(), "deadlock:")
	}, time.Minute, 200*time.Millisecond, "%s", &j.stderr)
	require.NoError(t, syscall.Kill(leader[0], syscall.SIGTERM))
	require.Equal(t, 143, j.wait(t, time.Minute), &j.stderr)
	for rank := range 3 {
		require.Regexp(t, fmt.Sprintf(`(?m)^ +%d +n%d +\d+ +in recv .*for .*, waits for rank %d, tag 7`, rank, rank,
			(rank+1)%3), j.stderr.String())
	}
	require.Contains(t, j.stderr.String(),
		"deadlock: rank 0 waits for rank 1 waits for rank 2 waits for rank 0; nothing has moved for")
	r.requireNothing(t)
}

// anyCode stands for an exit code that depends on Slurm.
const anyCode = -1

// harms are what may happen to a job on nodes, and what is to come of it.
var harms = map[string]struct {
	only string // the way of starting
	do   func(*testing.T, *job)
	code int
	says string
}{
	"rank": {"", func(t *testing.T, j *job) {
		_, pid := j.rankOn(t, 1)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	}, 137, `rank \d \(pid \d+, \S+\) on n1 was killed by signal 9 \(killed, SIGKILL\); ending the other 5 ranks`},
	"host": {"", func(t *testing.T, j *job) { j.kill(t, 1, `^pvasrun-host`) },
		137, `the space host \(pid \d+\) on n1 was killed by signal 9`},
	"agent by ssh": {"ssh", func(t *testing.T, j *job) { j.kill(t, 2, `pvasrun node$`) },
		1,
		`node n2 is lost: (its pvasrun was killed by signal 9 \(killed, SIGKILL\), which ends the 2 ranks there|` +
			`nothing was heard from it in time \(5s\)); ending the other 4 ranks`},
	"agent by srun": {"slurm", func(t *testing.T, j *job) { j.kill(t, 2, `pvasrun node join$`) },
		1, `node n2 is lost: .*; ending the other 4 ranks`},
	"leader": {"", func(t *testing.T, j *job) { j.kill(t, 0, `^\S*pvasrun (--hosts|\S*work)`) }, anyCode, ``},
	"ssh": {"ssh", func(t *testing.T, j *job) { j.kill(t, 0, `^ssh .* n1 `) }, 1,
		`node n1 is lost: ssh: signal: killed;.* ending the other 4 ranks`},
	// Slurm kills what belongs to it at the same time
	"srun": {"slurm", func(t *testing.T, j *job) { j.kill(t, 0, `^srun .*--nodelist=n0,n1,n2`) },
		anyCode, `is lost|killed`},
	"cut": {"", func(t *testing.T, j *job) { j.r.Cut(2) }, 1, `node n2 is lost: .*; ending the other 4 ranks`},
	"scancel": {"slurm", func(t *testing.T, j *job) {
		j.r.Run(0, "sh", "-c", "scancel $(squeue -h -o %i)")
	}, 143, `Slurm ends the job \(scancel, or its time limit\): ending \d ranks`},
	"agent asked": {"ssh", func(t *testing.T, j *job) {
		pids := j.r.find(1, `pvasrun node( join)?$`)
		require.NotEmpty(t, pids)
		require.NoError(t, syscall.Kill(slices.Max(pids), syscall.SIGTERM))
	}, 143, `pvasrun on node n1 got SIGTERM: ending 6 ranks`},
}

// kill kills the process that a node has with such a command line.
func (j *job) kill(t *testing.T, node int, pattern string) {
	t.Helper()
	pids := j.r.find(node, pattern)
	require.NotEmpty(t, pids, "%s: %v", pattern, j.r.Processes(node))
	_ = syscall.Kill(slices.Min(pids), syscall.SIGKILL) // ranks begin with the name of the host, which is older
}

// Whatever happens to a job, it ends soon, says why, and leaves nothing.
func TestHarm(t *testing.T) {
	eachStart(t, 3, func(t *testing.T, r *Rig, name string) {
		for what, harm := range harms {
			if harm.only != "" && harm.only != name {
				continue
			}
			t.Run(what, func(t *testing.T) {
				j := r.start(append(starts[name](r, 2), work, "busy"), nil)
				j.awaitRanks(t, 6)
				j.harm(t, what)
			})
		}
	})
}

// harm does one of harms to a job that runs.
func (j *job) harm(t *testing.T, what string) {
	t.Helper()
	harm, begin := harms[what], time.Now()
	harm.do(t, j)
	code := j.wait(t, 20*time.Second)
	t.Logf("%s: ended after %v", what, time.Since(begin))
	j.r.Mend(2)
	if harm.code != anyCode {
		require.Equal(t, harm.code, code, &j.stderr)
	}
	require.Regexp(t, harm.says, j.stderr.String())
	j.r.requireNothing(t)
}
