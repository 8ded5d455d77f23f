package launcher

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/job"
)

// newTestFate records what a fate does as lines of text.
func newTestFate(alive int) (f *fate, did *[]string) {
	did = new([]string)
	add := func(format string, args ...any) { *did = append(*did, fmt.Sprintf(format, args...)) }
	return &fate{hostname: "here", effects: effects{
		alive:  func() int { return alive },
		signal: func(sig syscall.Signal) { add("signal %v", sig) },
		grace:  func(d time.Duration) { add("grace %v", d) },
		say:    func(format string, args ...any) { add("say "+format, args...) },
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
		tell func(*fate)
		code int
		did  []string
	}{
		{"all well", func(f *fate) { f.rankEnded(0, 10, "p", exit0, job.StateNone) }, 0, nil},
		{"all well, with Finalize", func(f *fate) { f.rankEnded(0, 10, "p", exit0, job.StateFinal) }, 0, nil},
		{"without Finalize", func(f *fate) { f.rankEnded(1, 10, "./p", exit0, job.StateInit) }, 1,
			append(end[:3:3],
				"say rank 1 (pid 10, ./p) on here exited with code 0 after Init and without Finalize, "+
					"in C MPI_Finalize: "+
					"others may wait for it; ending the other 2 ranks")},
		{"without Finalize, as the user has asked", func(f *fate) {
			f.received(syscall.SIGTERM)
			f.rankEnded(1, 10, "./p", exit0, job.StateInit)
		}, 0, []string{"signal terminated"}},
		{"exit", func(f *fate) { f.rankEnded(1, 10, "./p", exit3, job.StateInit) }, 3,
			append(end[:3:3], "say rank 1 (pid 10, ./p) on here exited with code 3; ending the other 2 ranks")},
		{"core", func(f *fate) { f.rankEnded(1, 10, "./p", dumped, job.StateInit) }, 139,
			append(end[:3:3],
				"say rank 1 (pid 10, ./p) on here was killed by signal 11 (segmentation fault, SIGSEGV), core "+
					"dumped; ending the other 2 ranks")},
		{"only the first failure counts", func(f *fate) {
			f.timedOut(time.Second)
			f.rankEnded(1, 10, "p", exit3, job.StateInit)
			f.outputFailed(syscall.EPIPE)
			f.graceOver()
			f.rankEnded(2, 11, "p", killed9, job.StateInit)
		}, 124, append(end[:3:3], "say time-out after 1s: ending 2 ranks", "signal killed")},
		{"interrupt", func(f *fate) {
			f.received(syscall.SIGINT)
			f.rankEnded(0, 10, "p", syscall.WaitStatus(2), job.StateInit)
		}, 130, append([]string{"signal interrupt"}, end...)},
		{"interrupt that is handled", func(f *fate) {
			f.received(syscall.SIGINT)
			f.rankEnded(0, 10, "p", exit0, job.StateNone)
		}, 0, []string{"signal interrupt"}},
		{"two interrupts", func(f *fate) {
			f.received(syscall.SIGINT)
			f.received(syscall.SIGINT)
			f.rankEnded(0, 10, "p", killed9, job.StateInit)
		}, 130, []string{"signal interrupt", "signal killed", "say second interrupt: killing 2 ranks"}},
		{"other signals do not excuse a failure", func(f *fate) {
			f.received(syscall.SIGUSR1)
			f.rankEnded(0, 10, "p", exit3, job.StateInit)
		}, 3, append(append([]string{"signal user defined signal 1"}, end...),
			"say rank 0 (pid 10, p) on here exited with code 3; ending the other 2 ranks")},
		{"host", func(f *fate) { f.hostDied(9, killed9) }, 137,
			[]string{"signal killed",
				"say the space host (pid 9) on here was killed by signal 9 (killed, SIGKILL); killing 2 ranks"}},
		{"host that crashed", func(f *fate) { f.hostDied(9, syscall.WaitStatus(2<<8)) }, 1,
			[]string{"signal killed", "say the space host (pid 9) on here exited with code 2; killing 2 ranks"}},
		{"interrupt before all ranks were started", func(f *fate) {
			f.starting = true
			f.received(syscall.SIGUSR1)
			f.received(syscall.SIGTERM)
			f.rankEnded(0, 10, "p", exit0, job.StateNone)
		}, 143, append([]string{"signal user defined signal 1", "signal terminated"}, end...)},
		{"status taken by somebody else", func(f *fate) { f.rankLost(1, 10, "./p") }, 1,
			append(end[:3:3],
				"say rank 1 (pid 10, ./p) on here has ended, how is not known: its status was taken by a wait "+
					"elsewhere in this process; ending the other 2 ranks")},
		{"closed output", func(f *fate) { f.outputFailed(fmt.Errorf("write: %w", syscall.EPIPE)) }, 141, end},
		{"full disk", func(f *fate) { f.outputFailed(errors.New("full")) }, 1,
			append(end[:3:3], "say write output: full; ending 2 ranks")},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f, did := newTestFate(2)
			c.tell(f)
			require.Equal(t, c.code, f.code)
			require.Equal(t, c.did, *did)
		})
	}
}

// Where no rank is left, a message says so, instead of naming none of them.
func TestFateWithoutRanks(t *testing.T) {
	f, did := newTestFate(0)
	f.hostDied(9, killed9)
	require.Equal(t,
		[]string{"signal killed",
			"say the space host (pid 9) on here was killed by signal 9 (killed, SIGKILL); no rank was running"}, *did)
}

// A rank that was being started while the others were told to end.
func TestFateOfALateRank(t *testing.T) {
	var got []syscall.Signal
	signal := func(sig syscall.Signal) { got = append(got, sig) }
	f, _ := newTestFate(0)
	f.fresh(signal)
	f.end(1)
	f.fresh(signal)
	f.graceOver()
	f.fresh(signal)
	require.Equal(t, []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}, got)
}

func TestOthers(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "; ending the other rank", 5: "; ending the other 5 ranks"} {
		f, _ := newTestFate(n)
		require.Equal(t, want, f.others())
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
	f.allEnded(root)
	require.Equal(t, 1, f.code)
	require.Equal(t,
		[]string{"say rank 1 has called Finalize after 6 collective operations on the communicator of all " +
			"ranks, rank 0 after 7: " + sameCalls}, *did)

	root.NoteWorldCalls(1, 7)
	f, did = newTestFate(0)
	f.allEnded(root)
	require.Zero(t, f.code)
	require.Empty(t, *did)
}
