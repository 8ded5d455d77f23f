package launcher

import (
	"context"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
)

// At a hold point every rank exists, and stands: at the first none has printed
// yet, at the last all have.
func TestHolds(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		const n = 3
		w := launchertest.NewWatched()
		var points []job.Hold
		j := Job{BTL: btl, Apps: []App{{Program: launchertest.Hello, N: n}}, Stdout: w}
		j.Hold = func(h job.Hold, p Processes) {
			points = append(points, h)
			require.Len(t, p.Ranks, n)
			for _, pid := range append(p.Ranks, p.Host) {
				require.False(t, launchertest.Gone(pid))
			}
			if p.BTL == job.BTLPvas {
				require.Equal(t, []int{p.Host}, p.Spaces())
			} else {
				require.Equal(t, p.Ranks, p.Spaces())
			}
			if h == job.HoldInit {
				require.Empty(t, w.String())
			} else {
				w.Await(t, func(text string) bool { return strings.Count(text, "\n") == n })
			}
		}
		out := run(t, j)
		require.NoError(t, out.err)
		require.Zero(t, out.Code, out.stderr)
		require.Equal(t, []job.Hold{job.HoldInit, job.HoldFinalize}, points)
	})
}

// Programs that never get to a hold point are not held, and a rank that dies at
// one does not leave the job there.
func TestHoldsThatAreNotReached(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		j := ranks(btl, 3, "true")
		j.Hold = func(job.Hold, Processes) { t.Error("held a program that does not stop") }
		out := run(t, j)
		require.NoError(t, out.err)
		require.Zero(t, out.Code)

		calls := 0
		j = Job{BTL: btl, Apps: []App{{Program: launchertest.Hello, N: 3}}}
		j.Hold = func(_ job.Hold, p Processes) {
			calls++
			require.NoError(t, sys.Kill(p.Ranks[1], syscall.SIGKILL))
		}
		out = run(t, j)
		require.NoError(t, out.err)
		require.NotZero(t, out.Code)
		require.Equal(t, 1, calls)
	})
}

// A hold that the supervisor has given up does not touch the memory, which is closed.
func TestHoldOutlivesTheMemory(t *testing.T) {
	memory, err := job.Create(job.Config{Ranks: 1, BTL: job.BTLSM, CPUs: 1, Hold: true})
	require.NoError(t, err)
	root := memory.Root()
	rank := make(chan error)
	go func() { rank <- root.Reach(job.HoldInit) }()
	h, called, leave, left := &holds{root: root}, make(chan struct{}), make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(left)
		h.attend(ctx, func(job.Hold, Processes) { close(called); <-leave }, Processes{})
	}()
	<-called
	root.MarkGone(0)
	require.Error(t, <-rank)
	cancel()
	h.end()
	require.NoError(t, memory.Close())
	close(leave)
	<-left
}

var helloLine = regexp.MustCompile(`^rank (\d) of (\d), pid \d+, partition (none|0x[0-9a-f]+)$`)

// Ranks that use the runtime find their place in the job.
func TestRanksJoinTheJob(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		for _, n := range []int{1, 2, 5} {
			out := run(t, Job{BTL: btl, Apps: []App{{Program: launchertest.Hello, N: n}}})
			require.NoError(t, out.err)
			require.Zero(t, out.Code, out.stderr)
			seen := map[string]bool{}
			partitions := map[string]bool{}
			for line := range strings.Lines(out.stdout) {
				m := helloLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
				require.NotNil(t, m, line)
				require.Equal(t, string(rune('0'+n)), m[2])
				seen[m[1]] = true
				partitions[m[3]] = true
			}
			require.Len(t, seen, n)
			if btl == btlPvas {
				require.Len(t, partitions, n)
				require.NotContains(t, partitions, "none")
			} else {
				require.Equal(t, map[string]bool{"none": true}, partitions)
			}
		}
	})
}
