package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/trace"
)

// betweenNodes counts the messages of a trace between nodes.
func betweenNodes(tr *trace.Trace) (n int) {
	for rank := range tr.Ranks {
		for _, e := range tr.Ranks[rank].Events {
			if (e.Kind == trace.Sent || e.Kind == trace.Send) && tr.Meta.Nodes[rank] != tr.Meta.Nodes[e.Peer] {
				n++
			}
		}
	}
	return n
}

// Nonblocking collective calls cross the network a few times for each node, not for each rank.
func TestNonblockingCollectivesKnowNodes(t *testing.T) {
	program := programs.Build(t, "./testdata/nonblocking")
	rsh := hereAs(t)
	for name, c := range map[string]struct {
		flat string // an algorithm that does not know nodes
		most int    // messages between three nodes in a call
	}{
		"ibarrier": {"dissemination", 6}, "ibcast": {"binomial", 2}, "iallreduce": {"recursive-doubling", 4},
		"iallgather": {"bruck", 6}, "ialltoall": {"bruck", 6},
	} {
		count := func(args ...string) int {
			file := filepath.Join(t.TempDir(), "trace")
			args = append([]string{"--hosts", "a:3,b:3,c:3", "--rsh", rsh, "--timeout", "60", "--trace", file}, args...)
			got := command(t, nil, append(args, program, name, "10")...)
			require.Equal(t, 0, got.code, got.stderr)
			tr, err := trace.Open(file)
			require.NoError(t, err)
			require.NoError(t, tr.Cut)
			return betweenNodes(tr)
		}
		levels, flat := count(), count("--coll", name+"="+c.flat)
		t.Logf("%s: %.1f messages between nodes in a call, %.1f by %s", name, float64(levels)/10,
			float64(flat)/10, c.flat)
		require.LessOrEqual(t, levels, 10*c.most, name)
		require.Greater(t, flat, levels, name)
	}
}

// With --reproducible sums have the same bits on one node and on several, whatever ranks each of them has.
func TestReproducible(t *testing.T) {
	program := programs.Build(t, "./testdata/sums")
	sums := func(args ...string) string {
		got := command(t, nil, append(args, "--timeout", "60", program)...)
		require.Equal(t, 0, got.code, got.stderr)
		lines := strings.Split(got.stdout, "\n")
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	rsh, here := hereAs(t), sums("-n", "6")
	for _, hosts := range []string{"a:3,b:3", "a:2,b:4", "a:1,b:2,c:3"} {
		for _, by := range []string{"slot", "node"} {
			got := sums("--hosts", hosts, "--rsh", rsh, "--map-by", by, "--reproducible")
			require.Equal(t, here, got, "%s by %s", hosts, by)
		}
	}
}
