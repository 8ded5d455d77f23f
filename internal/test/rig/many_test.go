package rig

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	manyNodes = flag.Int("rig.nodes", 6, "nodes of the largest rig")
	manyRanks = flag.Int("rig.ranks", 4, "ranks of each of its nodes")
)

// Many nodes start, do an Alltoall, and end clean. -rig.nodes 64 logs how long that takes.
func TestManyNodes(t *testing.T) {
	total := *manyNodes * *manyRanks
	eachStart(t, *manyNodes, func(t *testing.T, r *Rig, name string) {
		begin := time.Now()
		j := r.start(append(starts[name](r, *manyRanks), work, "alltoall"), nil)
		j.awaitRanks(t, total)
		started := time.Since(begin)
		require.Zero(t, j.wait(t, 2*time.Minute), "%s", &j.stderr)
		t.Logf("%d nodes, %d ranks: all in Init after %v, ended after %v", r.Size(), total, started, time.Since(begin))
		require.Equal(t, total, strings.Count(j.stdout.String(), fmt.Sprintf(" of %d on n", total)))
		r.requireNothing(t)
	})
}
