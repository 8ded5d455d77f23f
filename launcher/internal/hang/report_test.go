package hang

import (
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/symbol"
)

func waitView(rank int, op job.Op, peer, tag int32, since time.Duration, on ...int) job.View {
	return job.View{
		Rank: rank, State: job.StateInit, Waits: true, For: on, Any: peer == job.AnyPeer,
		Waiting: job.Waiting{Op: op, Peer: peer, Tag: tag, Bytes: 64, Since: int64(since), Seen: int64(since)},
	}
}

// collectiveView waits for these ranks, and for two more if they are many.
func collectiveView(rank int, communicator string, on ...int) job.View {
	v := waitView(rank, job.OpCollective, job.AnyPeer, 0, 2*time.Second, on...)
	v.Any, v.Unnamed = false, len(on)/5
	v.Waiting.Context = 9
	v.Waiting.Collective = job.Collective{Name: "allreduce", Communicator: communicator, Need: job.NeedAll}
	return v
}

func TestHangReport(t *testing.T) {
	views := []job.View{
		waitView(0, job.OpRecv, 1, 5, 1*time.Second, 1),
		collectiveView(1, "world", 0, 3),
		waitView(2, job.OpRecv, job.AnyPeer, -1, 2*time.Second, 0, 1, 3, 4),
		{Rank: 3, State: job.StateInit},
		{Rank: 4, Gone: true},
		{Rank: 5},
		{Rank: 6, State: job.StateFinal},
		collectiveView(7, "halo", 3),
		collectiveView(8, "", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
		collectiveView(9, "halo"),
		{Rank: 10},
	}
	views[2].Waiting.Call, views[7].Waiting.Call = "MPI_Waitany", "MPI_Finalize"
	var who []Rank
	for pid := 100; pid <= 109; pid++ {
		who = append(who, Rank{Pid: pid, Program: "./p"})
	}
	who = append(who, Rank{Program: "./q"})
	who[3].Stopped = true
	who[2].Place = symbol.Place{Function: "exchange", File: "solver.c", Line: 120}
	who[7].Place = symbol.Place{Function: "main"}
	got := hangReport(views, who, 3*time.Second, nil)
	require.Equal(t, `  rank  pid  state
  0     100  in recv for 2s, waits for rank 1, tag 5, 64 bytes
  1     101  in allreduce on communicator "world" for 1s, waits for ranks 0, 3
  2     102  in MPI_Waitany (exchange at solver.c:120) for 1s, waits for any rank, any tag, 64 bytes
  3     103  is stopped by a signal (kill -CONT 103 lets it go on); runs: waits in no call
  4     104  has ended
  5     105  has not called Init: ./p
  6     106  has called Finalize
  7     107  in MPI_Finalize (main) on communicator "halo" for 1s, waits for rank 3
  8     108  in allreduce on a communicator without a name (context 9) for 1s, waits for ranks 0, 1, 2, 3, 4, 5, 6, `+
		`7, 4 more
  9     109  in allreduce on communicator "halo" for 1s, all members are there
  10    -    has not been started: ./q
  deadlock: rank 0 waits for rank 1 waits for rank 0; nothing has moved for 1s, and ranks 0, 1, 8 can never go on`, got)

	for i, c := range map[int]job.Collective{
		1: {Name: "ibcast", Number: 2, Agreed: job.Agree(9, 4, 7)},
		7: {Name: "iallreduce", Number: 3, Agreed: job.Agree(9, 4, 8)},
		8: {Name: "ibcast", Number: 3, Agreed: job.Agree(9, 5, 9)},
		9: {Name: "ibcast", Number: 3, Agreed: job.Agree(9, 5, 9)},
	} {
		views[i].Waiting.Collective = c
	}
	require.Contains(t, hangReport(views, who, 3*time.Second, nil),
		"\n  rank 1 has called ibcast, and rank 7 in its place iallreduce: all ranks of")
	views[9].Waiting.Collective.Agreed.Signature = 8
	views[7].Waiting.Collective.Agreed = job.Agree(8, 4, 8) // another communicator
	require.Contains(t, hangReport(views, who, 3*time.Second, nil),
		"\n  ranks 8 and 9 have called ibcast with different roots, operators or lengths: all ranks of")

	views[8].Waiting.Others = true
	require.Contains(t, hangReport(views, who, 3*time.Second, nil),
		"\n  circle: rank 0 waits for rank 1 waits for rank 0; nothing has moved for 1s, and only other goroutines "+
			"or threads of rank 8 could end that")
	views[8].Waiting.Others = false

	views[2].Far, who[3].Node = job.FarSends{Silent: 4, Device: 1}, "n2"
	got = hangReport(views, who, 3*time.Second, nil)
	require.Contains(t, got,
		"\n  rank 2 has sent to rank 3 on n2 by device 1 and hears nothing: rank 3 makes no MPI call, or the "+
			"network may be down")
	views[2].Far.Silent = 8
	require.Contains(t, hangReport(views, who, 3*time.Second, nil),
		" by device 1 and hears nothing: the network may be down", "rank 7 waits")
	views[2].Far.Silent = 4
	require.Contains(t, got, "deadlock", "of others")
	for i := range views {
		views[i].Far.UnderWay = 100
	}
	require.NotContains(t, hangReport(views, who, 3*time.Second, nil), "deadlock")
	for i := range views {
		views[i].Far.UnderWay = 0
	}

	// What has just begun to wait may be about to be woken.
	got = hangReport(views, who, 2*time.Second+10*time.Millisecond, nil)
	require.NotContains(t, got, "deadlock")
}

// A probe has no bytes, and a wait for one of several receives names their ranks.
func TestReportOfMessages(t *testing.T) {
	probe := waitView(0, job.OpProbe, 1, 5, time.Second, 1)
	probe.Waiting.Bytes = 0
	require.Equal(t, "in probe for 1s, waits for rank 1, tag 5", describeWait(probe, "", 2*time.Second))
	ready := waitView(0, job.OpReady, 1, 5, time.Second)
	ready.Waiting.Bytes, ready.Waiting.Collective.Number, ready.Any, ready.Waiting.Call = 2, 3, true, "MPI_Wait"
	require.Equal(t, "in MPI_Wait for 1s, waits for its own MPI_Pready of 2 partitions, first of partition 3, "+
		"of a send: rank 1, tag 5", describeWait(ready, "", 2*time.Second))
	require.Equal(t, "  a rank waits for its own MPI_Pready: rank 0 can never go on\n",
		describeDeadlock([]job.View{ready, {Rank: 1, State: job.StateInit}}, 2*time.Second, time.Second))
	for text, ranks := range map[string][]int{"any of ranks 1, 3": {1, 3}, "rank 3": {3}} {
		wait := waitView(0, job.OpWait, job.AnyPeer, -1, time.Second, ranks...)
		for _, r := range ranks {
			wait.Waiting.Collective.Miss(r)
		}
		require.Equal(t, "in wait for 1s, waits for a message of "+text, describeWait(wait, "", 2*time.Second))
	}
	wait := waitView(0, job.OpWait, job.AnyPeer, -1, time.Second, 1, 2, 3)
	require.Equal(t, "in wait for 1s, waits for any rank, any tag, 64 bytes", describeWait(wait, "", 2*time.Second))
}

// The state of a process is that of /proc: it is stopped from a STOP to a CONT.
func TestStopped(t *testing.T) {
	runtime.LockOSThread() // whose end would be taken for that of the test
	defer runtime.UnlockOSThread()
	p := exec.Command("sleep", "1000")
	p.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, p.Start())
	defer func() { _, _ = p.Process.Kill(), p.Wait() }()
	require.False(t, Stopped(p.Process.Pid))
	require.NoError(t, p.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(p.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped())
	require.True(t, Stopped(p.Process.Pid))
	require.False(t, Stopped(0))
}
