package chaos

import (
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/pvas"
)

var (
	jobs = flag.Int("chaos.jobs", 40, "jobs to attack, unless there is a time")
	span = flag.Duration("chaos.time", 0, "how long to go on")
	seed = flag.Uint64("chaos.seed", 0, "seed of a run to be repeated; 0: one that is drawn")
)

// No job hangs or leaves a process, and each ends with the code and the words of
// its cause, whatever is done to it and when.
func TestChaos(t *testing.T) {
	testkit.TakeSignals()
	pvasrun, programs := build(t)
	start := *seed
	if start == 0 {
		start = testkit.Seed(t)
	}
	t.Logf("-chaos.seed %d", start)
	random := rand.New(rand.NewPCG(start, 0))
	var table Table
	end := time.Now().Add(*span * 2 / 3) // the rest is for TestChaosOnNodes
	for i := 0; *span == 0 && i < *jobs || time.Now().Before(end); i++ {
		j := NewJob(random, btls(), programs)
		o, err := Attack(pvasrun, j)
		require.NoError(t, err)
		table.Add(&o)
		if found := o.Faults(); len(found) > 0 {
			t.Errorf("job %d, %v: %v: pid hit %d, code %d, left %v, zombies %d, output:\n%.2000s", i, j, found, o.Hit,
				o.Code, o.Left, o.Zombies, o.Output)
		}
	}
	var text strings.Builder
	require.NoError(t, table.Write(&text))
	t.Logf("\n%s", &text)
}

func btls() []string {
	if pvas.Supported() != nil {
		return []string{"sm"}
	}
	return []string{"pvas", "sm"}
}

// build builds pvasrun and the programs. What a machine does not have is left out.
func build(t *testing.T) (pvasrun string, programs []Program) {
	dir := t.TempDir()
	tool := func(name string, args ...string) {
		out, err := exec.Command(name, args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	pvasrun, busy := filepath.Join(dir, "pvasrun"), filepath.Join(dir, "busy")
	tool("go", "build", "-o", pvasrun, "../../../cmd/pvasrun")
	tool("go", "build", "-buildmode=pie", "-o", busy, "./testdata/busy")
	for _, what := range []string{"messages", "collectives", "nonblocking", "children", "idle", "stubborn"} {
		programs = append(programs,
			Program{Name: "busy " + what, Args: []string{busy, what}, Stubborn: what == "stubborn"})
	}
	programs = append(programs, native("sh", "/bin/sh", "-c", "sleep 1000 & while :; do (true & true); done"))
	if perl, err := exec.LookPath("perl"); err == nil {
		programs = append(programs, native("perl", perl, "-e", "fork; while (1) { select undef, undef, undef, 0.01 }"))
	}
	if _, err := exec.LookPath("gcc"); err == nil {
		forks := filepath.Join(dir, "forks")
		tool("gcc", "-O1", "-fPIE", "-pie", "-o", forks, "testdata/c/forks.c")
		programs = append(programs, native("C", forks))
	}
	return pvasrun, programs
}

func native(name string, args ...string) Program {
	return Program{Name: name, Args: args, Native: true}
}

// Every kind of wrong ending is found, and the right one is not.
func TestJudge(t *testing.T) {
	right := Outcome{Job: Job{Harm: KillRank, Signal: syscall.SIGKILL}, Hit: 7, Code: 137,
		Output: "noise\npvasrun: rank 2 (pid 7, ./p) on box was killed by signal 9 (killed, SIGKILL); " +
			"ending the other rank\n"}
	require.Empty(t, right.Faults())
	for fault, spoil := range map[Fault]func(*Outcome){
		FaultHang:    func(o *Outcome) { o.Hang = true },
		FaultLeft:    func(o *Outcome) { o.Left = []int{1} },
		FaultZombie:  func(o *Outcome) { o.Zombies = 1 },
		FaultCode:    func(o *Outcome) { o.Code = 1 },
		FaultMessage: func(o *Outcome) { o.Hit = 8 },
		FaultTrace:   func(o *Outcome) { o.Output += "goroutine 1 [running]:\n" },
	} {
		o := right
		spoil(&o)
		require.Equal(t, []Fault{fault}, o.Faults())
	}
	host := right
	host.Harm = KillHost
	require.Equal(t, []Fault{FaultMessage}, host.Faults())
	missed := Outcome{Job: right.Job, Code: 137}
	require.Equal(t, []Fault{FaultCode}, missed.Faults())
}

// A process is found by its mark until it has ended, whatever its name.
func TestMarked(t *testing.T) {
	setting := mark + "=test"
	cmd := exec.Command("/bin/sleep", "1000")
	cmd.Env = append(os.Environ(), setting)
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return len(marked(setting)) == 1 }, 10*time.Second, time.Millisecond)
	require.Equal(t, []int{cmd.Process.Pid}, marked(setting))
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.Empty(t, marked(setting))
}
