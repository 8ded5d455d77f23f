package chaos

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/rig"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

var nodeJobs = flag.Int("chaos.nodes", 4, "jobs on several nodes to attack, unless there is a time")

const (
	nodes      = 3
	ranksEach  = 2
	nodeLeave  = 15 * time.Second // a node is given up after some seconds
	nodeStarts = 20 * time.Second
)

// A nodeVictim is the kind of process that is killed.
type nodeVictim struct {
	name    string
	node    int // -1: any
	pattern string
	codes   []int
}

// The ranks of an agent that is killed end, too. The exit code is that of the first end that the leader learns of.
var nodeVictims = []nodeVictim{
	{"rank or host", -1, `^(pvasrun-host|\S*/busy )`, []int{137}},
	{"agent", -1, `pvasrun node( join)?$`, []int{1, 137}},
	{"leader", 0, `^\S*pvasrun --hosts`, []int{137}},
	{"ssh", 0, `^ssh .* n[12] `, []int{1}},
}

// A nodeAttack is what is done to a job.
type nodeAttack struct {
	btl, program string
	victim       nodeVictim
	node, which  int
	after        time.Duration
	flaps        []time.Duration // of the second device of some node, before
}

func (a nodeAttack) String() string {
	return fmt.Sprintf("--btl %s busy %s; %s on n%d killed after %v, %d flaps", a.btl, a.program, a.victim.name,
		a.node, a.after, len(a.flaps))
}

func newNodeAttack(r *rand.Rand, btls []string) nodeAttack {
	a := nodeAttack{
		btl: btls[r.IntN(len(btls))], victim: nodeVictims[r.IntN(len(nodeVictims))], which: r.IntN(1 << 20),
		program: []string{"messages", "collectives", "nonblocking", "idle"}[r.IntN(4)], after: 3 * moment(r),
	}
	if a.node = a.victim.node; a.node < 0 {
		a.node = r.IntN(nodes)
	}
	if a.victim.name == "agent" {
		a.node = 1 + r.IntN(nodes-1) // the leader is the agent of node 0
	}
	for range r.IntN(4) {
		a.flaps = append(a.flaps, time.Duration(r.Int64N(int64(100*time.Millisecond))))
	}
	return a
}

// On nodes with two devices each, of which one goes down and up: whichever process is killed, the job ends in bounded
// time with the exit code of the cause, and leaves no process and no file on any node.
func TestChaosOnNodes(t *testing.T) {
	r := rig.Up(t, nodes, "sshd", "ssh", "ssh-keygen")
	r.StartSSH()
	r.AddDevice()
	pvasrun, programs := build(t)
	busy := programs[0].Args[0]
	start := *seed
	if start == 0 {
		start = testkit.Seed(t)
	}
	t.Logf("-chaos.seed %d", start)
	random := rand.New(rand.NewPCG(start, 1))
	hit, longest := map[string]int{}, time.Duration(0)
	end := time.Now().Add(*span / 3)
	for i := 0; *span == 0 && i < *nodeJobs || time.Now().Before(end); i++ {
		a := newNodeAttack(random, btls())
		took, was := a.run(t, r, i, pvasrun, busy)
		if was {
			hit[a.victim.name]++
			longest = max(longest, took)
		}
	}
	t.Logf("hit: %v; the longest end took %v", hit, longest)
}

// run starts a job, attacks it, and judges its end.
func (a nodeAttack) run(t *testing.T, r *rig.Rig, i int, pvasrun, busy string) (took time.Duration, hit bool) {
	hosts := fmt.Sprintf("n0:%[1]d,n1:%[1]d,n2:%[1]d", ranksEach)
	cmd := r.Command(0, pvasrun, "--hosts", hosts, "--btl", a.btl, "--devices", "eth0,eth1", busy, a.program)
	output := new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = output, output, leave
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the status is looked at below
		close(ended)
	}()
	time.Sleep(a.after) // the moment is meant to be any
	for k, d := range a.flaps {
		node := (a.which + k) % nodes
		require.NoError(t, r.SetDevice(node, "down"))
		time.Sleep(d)
		require.NoError(t, r.SetDevice(node, "up"))
	}
	pids := a.await(r, ended)
	if len(pids) > 0 {
		hit = syscall.Kill(pids[a.which%len(pids)], syscall.SIGKILL) == nil
	}
	begin := time.Now()
	hang := false
	select {
	case <-ended:
	case <-time.After(Patience):
		hang = true
		_ = cmd.Process.Kill()
		<-ended
	}
	took = time.Since(begin)
	code := cmd.ProcessState.ExitCode()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = 128 + int(status.Signal())
	}
	left := leftOnNodes(r)
	if hang || len(left) > 0 || hit && !slices.Contains(a.victim.codes, code) ||
		strings.Contains(output.String(), "goroutine ") {
		t.Errorf("job %d, %v: hit %v, hang %v, code %d, left %v, output:\n%.3000s", i, a, hit, hang, code, left, output)
	}
	for _, pid := range jobProcesses(r) { // whatever is left must not disturb the next
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return took, hit
}

// await returns the processes that may be killed, as soon as there are any.
func (a nodeAttack) await(r *rig.Rig, ended <-chan struct{}) (pids []int) {
	like := regexp.MustCompile(a.victim.pattern)
	for end := time.Now().Add(nodeStarts); len(pids) == 0 && time.Now().Before(end); time.Sleep(look) {
		select {
		case <-ended:
			return nil
		default:
		}
		for _, p := range r.Processes(a.node) {
			if like.MatchString(strings.Join(p.Args, " ")) {
				pids = append(pids, p.Pid)
			}
		}
	}
	slices.Sort(pids)
	return pids
}

var daemon = regexp.MustCompile(`^\S*sshd`)

// jobProcesses returns the processes of jobs on all nodes.
func jobProcesses(r *rig.Rig) (pids []int) {
	for node := range nodes {
		for _, p := range r.Processes(node) {
			if !daemon.MatchString(strings.Join(p.Args, " ")) {
				pids = append(pids, p.Pid)
			}
		}
	}
	return pids
}

// leftOnNodes returns the processes and files that do not vanish.
func leftOnNodes(r *rig.Rig) (left []string) {
	for end := time.Now().Add(nodeLeave); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		left = left[:0]
		for _, pid := range jobProcesses(r) {
			args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			left = append(left, fmt.Sprintf("pid %d: %s", pid, bytes.ReplaceAll(args, []byte{0}, []byte(" "))))
		}
		for node := range nodes {
			left = append(left, r.Files(node)...)
		}
		if len(left) == 0 {
			return nil
		}
	}
	return left
}
