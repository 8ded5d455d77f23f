package fate

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/hang"
)

// newTestFate records what a fate does as lines of text.
func newTestFate(alive int) (f *Fate, did *[]string) {
	did = new([]string)
	add := func(format string, args ...any) { *did = append(*did, fmt.Sprintf(format, args...)) }
	return &Fate{Hostname: "here", Effects: Effects{
		Alive:  func() int { return alive },
		Signal: func(sig syscall.Signal) { add("signal %v", sig) },
		Grace:  func(d time.Duration) { add("grace %v", d) },
		Say:    func(format string, args ...any) { add("say "+format, args...) },
	}}, did
}

const (
	exit0   = syscall.WaitStatus(0)
	exit3   = syscall.WaitStatus(3 << 8)
	killed9 = syscall.WaitStatus(9)
	dumped  = syscall.WaitStatus(11 | 0x80)
)

func TestFate(t *testing.T) {
	end := []string{"signal terminated", "signal continued", "grace 2s"}
	cases := []struct {
		name string
		tell func(*Fate)
		code int
		did  []string
	}{
		{"all well", func(f *Fate) { f.RankEnded(0, 10, "p", exit0, job.StateNone) }, 0, nil},
		{"all well, with Finalize", func(f *Fate) { f.RankEnded(0, 10, "p", exit0, job.StateFinal) }, 0, nil},
		{"without Finalize", func(f *Fate) { f.RankEnded(1, 10, "./p", exit0, job.StateInit) }, 1,
			append(end[:3:3],
				"say rank 1 (pid 10, ./p) on here exited with code 0 after Init and without Finalize, "+
					"in C MPI_Finalize or MPI_Session_finalize: "+
					"others may wait for it; ending the other 2 ranks")},
		{"Abort with 0", func(f *Fate) { f.RankEnded(1, 10, "./p", exit0, job.StateAborted) }, 0,
			append(end[:3:3], "say rank 1 (pid 10, ./p) on here exited with code 0 by Abort, in C MPI_Abort; "+
				"ending the other 2 ranks")},
		{"without Finalize, as the user has asked", func(f *Fate) {
			f.Received(syscall.SIGTERM)
			f.RankEnded(1, 10, "./p", exit0, job.StateInit)
		}, 0, []string{"signal terminated"}},
		{"exit", func(f *Fate) { f.RankEnded(1, 10, "./p", exit3, job.StateInit) }, 3,
			append(end[:3:3], "say rank 1 (pid 10, ./p) on here exited with code 3; ending the other 2 ranks")},
		{"core", func(f *Fate) { f.RankEnded(1, 10, "./p", dumped, job.StateInit) }, 139,
			append(end[:3:3],
				"say rank 1 (pid 10, ./p) on here was killed by signal 11 (segmentation fault, SIGSEGV), core "+
					"dumped; ending the other 2 ranks")},
		{"only the first failure counts", func(f *Fate) {
			f.TimedOut(time.Second)
			f.RankEnded(1, 10, "p", exit3, job.StateInit)
			f.OutputFailed(syscall.EPIPE)
			f.GraceOver()
			f.RankEnded(2, 11, "p", killed9, job.StateInit)
		}, 124, append(end[:3:3], "say time-out after 1s: ending 2 ranks", "signal killed")},
		{"time-out of a job that ends", func(f *Fate) {
			f.RankEnded(1, 10, "./p", exit3, job.StateInit)
			f.TimedOut(time.Second)
		}, 3, append(end[:3:3], "say rank 1 (pid 10, ./p) on here exited with code 3; ending the other 2 ranks")},
		{"interrupt", func(f *Fate) {
			f.Received(syscall.SIGINT)
			f.RankEnded(0, 10, "p", syscall.WaitStatus(2), job.StateInit)
		}, 130, append([]string{"signal interrupt"}, end...)},
		{"interrupt that is handled", func(f *Fate) {
			f.Received(syscall.SIGINT)
			f.RankEnded(0, 10, "p", exit0, job.StateNone)
		}, 0, []string{"signal interrupt"}},
		{"killed before it was told to end", func(f *Fate) {
			f.Kill(5)
			f.End(6)
			f.Kill(7)
			f.TimedOut(time.Second)
		}, 5, []string{"signal killed", "signal killed"}},
		{"left behind", func(f *Fate) { f.LeftBehind() }, 1, nil},
		{"left behind by a job that has failed", func(f *Fate) {
			f.RankEnded(1, 10, "./p", exit3, job.StateInit)
			f.LeftBehind()
		}, 3, append(end[:3:3], "say rank 1 (pid 10, ./p) on here exited with code 3; ending the other 2 ranks")},
		{"a world that is connected to none fails alone", func(f *Fate) {
			f.WorldFailed(&Failure{Rank: 7, Pid: 10, Program: "./w", Status: exit3, State: job.StateInit}, 2)
			f.WorldFailed(&Failure{Rank: 9, Pid: 11, Program: "./w", Status: killed9, State: job.StateInit}, 0)
		}, 3, []string{
			"say rank 7 (pid 10, ./w) on here exited with code 3; the ranks that were started with it end: 2",
			"say rank 9 (pid 11, ./w) on here was killed by signal 9 (killed, SIGKILL)"}},
		{"two interrupts", func(f *Fate) {
			f.Received(syscall.SIGINT)
			f.Received(syscall.SIGINT)
			f.RankEnded(0, 10, "p", killed9, job.StateInit)
		}, 130, []string{"signal interrupt", "signal killed", "say second interrupt: killing 2 ranks"}},
		{"other signals do not excuse a failure", func(f *Fate) {
			f.Received(syscall.SIGUSR1)
			f.RankEnded(0, 10, "p", exit3, job.StateInit)
		}, 3, append(append([]string{"signal user defined signal 1"}, end...),
			"say rank 0 (pid 10, p) on here exited with code 3; ending the other 2 ranks")},
		{"host", func(f *Fate) { f.HostDied(9, killed9) }, 137,
			[]string{"signal killed",
				"say the space host (pid 9) on here was killed by signal 9 (killed, SIGKILL); killing 2 ranks"}},
		{"host that crashed", func(f *Fate) { f.HostDied(9, syscall.WaitStatus(2<<8)) }, 1,
			[]string{"signal killed", "say the space host (pid 9) on here exited with code 2; killing 2 ranks"}},
		{"interrupt before all ranks were started", func(f *Fate) {
			f.Starting = true
			f.Received(syscall.SIGUSR1)
			f.Received(syscall.SIGTERM)
			f.RankEnded(0, 10, "p", exit0, job.StateNone)
		}, 143, append([]string{"signal user defined signal 1", "signal terminated"}, end...)},
		{"status taken by somebody else", func(f *Fate) { f.RankLost(1, 10, "./p") }, 1,
			append(end[:3:3],
				"say rank 1 (pid 10, ./p) on here has ended, how is not known: its status was taken by a wait "+
					"elsewhere in this process; ending the other 2 ranks")},
		{"closed output", func(f *Fate) { f.OutputFailed(fmt.Errorf("write: %w", syscall.EPIPE)) }, 141, end},
		{"full disk", func(f *Fate) { f.OutputFailed(errors.New("full")) }, 1,
			append(end[:3:3], "say write output: full; ending 2 ranks")},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f, did := newTestFate(2)
			c.tell(f)
			require.Equal(t, c.code, f.Code)
			require.Equal(t, c.did, *did)
		})
	}
}

// Where no rank is left, a message says so, instead of naming none of them.
func TestFateWithoutRanks(t *testing.T) {
	f, did := newTestFate(0)
	f.HostDied(9, killed9)
	require.Equal(t,
		[]string{"signal killed",
			"say the space host (pid 9) on here was killed by signal 9 (killed, SIGKILL); no rank was running"}, *did)
}

// A rank that was being started while the others were told to end.
func TestFateOfALateRank(t *testing.T) {
	var got []syscall.Signal
	signal := func(sig syscall.Signal) { got = append(got, sig) }
	f, _ := newTestFate(0)
	f.Fresh(signal)
	f.End(1)
	f.Fresh(signal)
	f.GraceOver()
	f.Fresh(signal)
	require.Equal(t, []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}, got)
}

func TestOthers(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "; ending the other rank", 5: "; ending the other 5 ranks"} {
		f, _ := newTestFate(n)
		require.Equal(t, want, f.Others())
	}
}

// A rank that has ended in order after fewer collective operations than the others is named. A rank that has not ended
// in order does not count, nor does one that does not know its number.
func TestLeftOut(t *testing.T) {
	m, err := job.InHeap(job.Config{Ranks: 5, BTL: job.BTLSM, CPUs: 1})
	require.NoError(t, err)
	root := m.Root()
	for rank, n := range []uint64{7, 6, 7, 3} {
		root.NoteWorldCalls(rank, n)
		root.SetState(rank, job.StateFinal)
	}
	root.SetState(3, job.StateInit)
	root.SetState(4, job.StateFinal)
	f, did := newTestFate(0)
	f.AllEnded(root)
	require.Equal(t, 1, f.Code)
	require.Equal(t,
		[]string{"say rank 1 has called Finalize after 6 collective operations on the communicator of all " +
			"ranks, rank 0 after 7: " + hang.SameCalls}, *did)

	root.NoteWorldCalls(1, 7)
	f, did = newTestFate(0)
	f.AllEnded(root)
	require.Zero(t, f.Code)
	require.Empty(t, *did)
}

// Calls are counted in a job that ended by itself: else its ranks were stopped somewhere, or another one reports them.
// One that could survive counts if it has lost no rank.
func TestLeftOutOfJobsThatEnd(t *testing.T) {
	m, err := job.InHeap(job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 1})
	require.NoError(t, err)
	root := m.Root()
	for rank := range 2 {
		root.NoteWorldCalls(rank, uint64(rank))
		root.SetState(rank, job.StateFinal)
	}
	for name, c := range map[string]struct {
		before func(*Fate)
		tells  bool
	}{
		"by itself":       {func(*Fate) {}, true},
		"ending":          {func(f *Fate) { f.Ending = true }, false},
		"killed":          {func(f *Fate) { f.Killed = true }, false},
		"told by another": {func(f *Fate) { f.Quiet = true }, false},
		"survives":        {func(f *Fate) { f.Survive = true }, true},
		"has survived": {func(f *Fate) {
			f.Survive, f.well, f.Failure = true, 1, &Failure{Status: exit3}
		}, false},
	} {
		f, did := newTestFate(0)
		c.before(f)
		f.AllEnded(root)
		require.Equal(t, c.tells, len(*did) == 1, name)
		require.Equal(t, c.tells, f.Code == CodeError, name)
	}
}

// The end of a rank is a failure if it is not in order, and nobody has asked for it.
func TestFails(t *testing.T) {
	for name, c := range map[string]struct {
		before func(*Fate)
		status syscall.WaitStatus
		state  job.State
		fails  bool
	}{
		"in order":         {func(*Fate) {}, exit0, job.StateFinal, false},
		"without Finalize": {func(*Fate) {}, exit0, job.StateInit, true},
		"code":             {func(*Fate) {}, exit3, job.StateFinal, true},
		"ending":           {func(f *Fate) { f.Ending = true }, exit3, job.StateInit, false},
		"killed":           {func(f *Fate) { f.Killed = true }, exit3, job.StateInit, false},
		"asked":            {func(f *Fate) { f.Received(syscall.SIGHUP) }, exit3, job.StateInit, false},
	} {
		f, _ := newTestFate(2)
		c.before(f)
		require.Equal(t, c.fails, f.Fails(c.status, c.state), name)
	}
}

// In a job that survives a failure ends nothing. The code is that of survivors, also one after Finalize; that of the
// first failure if nobody is left, or if it is asked for.
func TestSurvivors(t *testing.T) {
	m, err := job.InHeap(job.Config{Ranks: 3, BTL: job.BTLSM, CPUs: 1})
	require.NoError(t, err)
	failure := &Failure{Rank: 1, Pid: 10, Program: "p", Status: killed9, State: job.StateInit}
	for name, c := range map[string]struct {
		strict bool
		tell   func(*Fate)
		code   int
	}{
		"survivors":     {false, func(f *Fate) { f.RankEnded(0, 9, "p", exit0, job.StateFinal) }, 0},
		"strict":        {true, func(f *Fate) { f.RankEnded(0, 9, "p", exit0, job.StateFinal) }, 137},
		"late code":     {false, func(f *Fate) { f.RankEnded(0, 9, "p", exit3, job.StateFinal) }, 3},
		"nobody":        {false, func(*Fate) {}, 137},
		"second failed": {false, func(f *Fate) { f.Outlived(&Failure{Status: exit3, State: job.StateInit}) }, 137},
		"abort":         {false, func(f *Fate) { f.RankEnded(0, 9, "p", exit3, job.StateAborted) }, 3},
	} {
		f, did := newTestFate(2)
		f.Survive, f.Strict = true, c.strict
		f.Outlived(failure)
		require.Equal(t, []string{"say rank 1 (pid 10, p) on here was killed by signal 9 (killed, SIGKILL); " +
			"the job goes on with 2 ranks (--survive)"}, *did, name)
		require.False(t, f.Ending)
		c.tell(f)
		f.AllEnded(m.Root())
		require.Equal(t, c.code, f.Code, name)
		require.Equal(t, name == "abort", f.Ending, name)
		if name == "late code" {
			require.Equal(t, "say rank 0 (pid 9, p) on here exited with code 3 after Finalize", (*did)[1])
		}
	}
}
