package launcher

import (
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/roster"
)

// The time to end goes on for a rank that gets no CPU, but not for one that computes, or waits for something else.
func TestGraceOfStarvedRanks(t *testing.T) {
	start := func(command string) (*roster.Table, func() cpuTime) {
		cmd := exec.Command("/bin/sh", "-c", command)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		ranks := roster.New(nil, 1, 1, 0)
		ranks.Started(0, cmd.Process.Pid, time.Now())
		return ranks, func() cpuTime { return cpuTimeOf(cmd.Process.Pid) }
	}
	if cpuTimeOf(syscall.Getpid()).ran == 0 {
		t.Skip("the kernel does not tell how long a process has waited for a CPU")
	}
	var g grace
	const busy = "while :; do :; done"
	computes, delay := start(busy)
	g.begin(time.Hour, computes)
	began := delay()
	require.Eventually(t, func() bool { return delay().ran-began.ran > enoughToEnd }, time.Minute, time.Millisecond)
	require.False(t, g.goOn(computes))
	sleeps, delay := start("exec sleep 100")
	require.Eventually(t, func() bool { return delay().ran > 0 && !delay().wants }, time.Minute, 10*time.Millisecond)
	g.begin(time.Hour, sleeps)
	require.False(t, g.goOn(sleeps))
	for pid, had := range g.had {
		had.waited -= g.time * 3 / 4 // as if it had waited so long since
		g.had[pid] = had
	}
	require.True(t, g.goOn(sleeps))
	require.False(t, g.goOn(sleeps), "it has waited less than half of both times")
	g.again = 0

	cpus, err := sys.Affinity()
	require.NoError(t, err)
	defer func() { require.NoError(t, sys.SetProcessAffinity(cpus)) }()
	require.NoError(t, sys.SetProcessAffinity(cpus[:1])) // what is started from here shares that CPU
	start(busy)
	starves, delay := start("renice -n 19 $$ >/dev/null; " + busy)
	g.begin(2*time.Millisecond, starves)
	began = delay()
	require.Eventually(t, func() bool { return delay().waited-began.waited > g.time }, time.Minute, time.Millisecond)
	if delay().ran-began.ran < enoughToEnd/2 {
		require.True(t, g.goOn(starves))
	}
	g.again = mostAgain
	require.False(t, g.goOn(starves))
}
