package rig

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

var jobs = flag.Int("rig.jobs", 2, "jobs to attack at random moments")

// victims are the processes of a job that may be killed: node -1 is any.
var victims = []struct {
	name    string
	node    int
	pattern string // of the command line; "": the node's link is cut
}{
	{"rank or host", -1, `^pvasrun-host`},
	{"agent", -1, `pvasrun node( join)?$`},
	{"leader", 0, `^\S*pvasrun (--hosts|--btl|\S*work)`},
	{"ssh or srun", 0, `^(ssh|srun) `},
	{"cut", -1, ""},
}

// attack is what is done to one job.
type attack struct {
	slurm, btlSM bool
	victim       int
	node         int
	which        int // of the processes that match, modulo their number
	after        time.Duration
}

func (a attack) String() string {
	return fmt.Sprintf("slurm %v, sm %v, %s on n%d after %v", a.slurm, a.btlSM, victims[a.victim].name, a.node, a.after)
}

func newAttack(r *rand.Rand, nodes int) attack {
	a := attack{slurm: r.IntN(2) == 0, btlSM: r.IntN(3) == 0, victim: r.IntN(len(victims)), which: r.IntN(1 << 20)}
	a.after = time.Duration(
		r.Int64N(int64([]time.Duration{100 * time.Millisecond, 400 * time.Millisecond, 2 * time.Second}[r.IntN(3)])))
	if a.node = victims[a.victim].node; a.node < 0 {
		a.node = r.IntN(nodes)
	}
	if victims[a.victim].pattern == "" && a.node == 0 {
		a.node = 1 + r.IntN(nodes-1) // the leader is on node 0: that would be all others
	}
	return a
}

// Whatever is killed, or cut off, and when: no job hangs, each names a cause, and no process is
// left. -rig.jobs 100 goes on for some minutes; TEST_SEED repeats a run.
func TestRandomHarm(t *testing.T) {
	t.Parallel()
	const nodes = 3
	random := testkit.Rand(t)
	count := map[string]int{}
	var longest time.Duration
	for i := range *jobs {
		a := newAttack(random, nodes)
		name := victims[a.victim].name
		t.Run(fmt.Sprintf("%d", i), func(t *testing.T) {
			up := withSlurm // a new one: Slurm waits before it trusts a node again
			if !a.slurm {
				up = func(t testing.TB, n int) *Rig { return withSSH(t, n) }
			}
			hit, took, said := a.run(t, up(t, nodes))
			t.Logf("%v: hit %v, ended after %v: %s", a, hit, took, said)
			if hit {
				count[name]++
				longest = max(longest, took)
			}
		})
	}
	t.Logf("hit: %v; the longest end took %v", count, longest)
}

// run starts a job, does the harm, and judges.
func (a attack) run(t *testing.T, r *Rig) (hit bool, took time.Duration, said string) {
	by := bySSH
	if a.slurm {
		by = bySlurm
	}
	argv := by(r, 2)
	if a.btlSM {
		argv = append(argv, "--btl", "sm")
	}
	j := r.start(append(argv, work, "busy"), nil)
	time.Sleep(a.after) // the moment is meant to be any
	v := victims[a.victim]
	if v.pattern == "" {
		r.Cut(a.node)
		hit = true
	} else if pids := a.await(r); len(pids) > 0 {
		hit = syscall.Kill(pids[a.which%len(pids)], syscall.SIGKILL) == nil
	} else {
		_ = j.cmd.Process.Kill()
		t.Errorf("%v: nobody to kill: %s", a, &j.stderr)
	}
	begin := time.Now()
	code := j.wait(t, time.Minute) // more than --start-timeout, within which srun does not tell of a node
	took = time.Since(begin)
	r.Mend(a.node)
	said = j.stderr.String()
	if hit && v.name != "leader" {
		require.NotZero(t, code, "%v: %s", a, said)
		require.Contains(t, said, "pvasrun: ", a.String())
	}
	require.NotContains(t, said, "goroutine ", a.String())
	r.requireNothing(t)
	return hit, took, said
}

// await returns the processes that may be killed, as soon as there are any.
func (a attack) await(r *Rig) (pids []int) {
	like := regexp.MustCompile(victims[a.victim].pattern)
	for end := time.Now().Add(20 * time.Second); len(pids) == 0 &&
		time.Now().Before(end); time.Sleep(time.Millisecond) {
		for _, p := range r.Processes(a.node) {
			line := strings.Join(p.Args, " ")
			rank := a.victim == 0 && strings.HasSuffix(line, "work busy") &&
				!strings.Contains(line, "pvasrun")
			if (like.MatchString(line) || rank) && !ofSrun(p.Pid) {
				pids = append(pids, p.Pid)
			}
		}
	}
	slices.Sort(pids)
	return pids
}

// ofSrun tells whether a process is a child of srun: srun has a helper, without which a job
// goes on.
func ofSrun(pid int) bool {
	p, _ := processes.Find(pid)
	args := processes.Args(p.Parent)
	return len(args) > 0 && args[0] == "srun"
}
