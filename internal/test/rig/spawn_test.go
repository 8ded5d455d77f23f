package rig

import (
	"fmt"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// Ranks on both nodes, or on one, start others on both.
func TestSpawnOverNodes(t *testing.T) {
	eachStart(t, 2, func(t *testing.T, r *Rig, name string) {
		for _, btl := range testkit.Some("pvas", "sm") {
			by := append(starts[name](r, 1), "--btl", btl, "--timeout", "100")
			for _, ranks := range [][]string{nil, {"-n", "1", "--universe", "5"}} {
				j := r.start(append(append(by, ranks...), work, "spawn"), nil)
				require.Zero(t, j.wait(t, 2*time.Minute), &j.stderr)
				require.Empty(t, j.stderr.String())
				for rank, node := range []int{1, 0, 0, 1} {
					require.Contains(t, j.stdout.String(), fmt.Sprintf("rank %d of 4 on n%d ", rank, node))
				}
			}

			j := r.start(append(by, work, "spawned"), nil)
			j.awaitRanks(t, 6)
			m := regexp.MustCompile(`rank 3 of 4 on n1 pid (\d+)`).FindStringSubmatch(j.stdout.String())
			require.NotNil(t, m, &j.stdout)
			require.NoError(t, syscall.Kill(r.Outside(1, m[1]), syscall.SIGKILL))
			require.Equal(t, 137, j.wait(t, time.Minute), &j.stderr)
			require.Regexp(t, `pvasrun: rank 5 \(pid \d+, \S+work\) on n1 was killed by signal 9 .*; `+
				`ending the other 5 ranks`, j.stderr.String())
			r.requireNothing(t)
		}
		j := r.start(append(starts[name](r, 1), work, "spawned"), nil)
		j.awaitRanks(t, 6)
		r.Cut(1)
		require.Equal(t, 1, j.wait(t, time.Minute), &j.stderr)
		require.Contains(t, j.stderr.String(), "node n1 is lost")
		r.Mend(1)
		r.requireNothing(t)
	})
}
