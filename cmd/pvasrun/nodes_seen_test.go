package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/trace"
)

// laterAs is hereAs, but the clock of node b is 1,000,000 s ahead where such a clock can be made.
func laterAs(t *testing.T) string {
	const later = "unshare --time --monotonic 1000000 --fork --kill-child "
	if out, err := exec.Command("sh", "-c", later+"true").CombinedOutput(); err != nil {
		t.Logf("all nodes have one clock: %v: %s", err, out)
		return hereAs(t)
	}
	path := t.TempDir() + "/rsh"
	script := "#!/bin/sh\n[ $1 = b ] && exec " + later + "sh -c \"exec $2\"\nexec sh -c \"exec $2\"\n"
	require.NoError(t, os.WriteFile(path, []byte(script), 0o755))
	return path
}

// TestTraceOfNodes: the trace of a job on two nodes is one file, with the messages between the
// nodes. No long message between them is received before it is sent, in either direction: so the
// clocks are aligned.
func TestTraceOfNodes(t *testing.T) {
	program := programs.Build(t, "./testdata/traced")
	rsh := laterAs(t)
	for _, btl := range turn(t, 1) {
		file := filepath.Join(t.TempDir(), "trace")
		got := command(t, nil, "--hosts", "a:1,b:2", "--rsh", rsh, "--btl", btl, "--timeout", "60",
			"--trace", file, program)
		require.Equal(t, 0, got.code, got.stderr)
		require.Empty(t, got.stderr)
		tr, err := trace.Open(file)
		require.NoError(t, err)
		require.NoError(t, tr.Cut)
		require.Zero(t, tr.Lost())
		require.Equal(t, []int{0, 1, 1}, tr.Meta.Nodes)
		require.Equal(t, []string{"a", "b"}, tr.Meta.Hosts)
		require.Len(t, tr.Meta.ClockErrorNS, 2)
		require.Less(t, tr.Summary().Duration, int64(60e9), "since the start")
		off := tr.Meta.ClockErrorNS[0] + tr.Meta.ClockErrorNS[1]
		sent, received := ends(t, tr)
		ways := map[int32]bool{}
		for k, s := range sent {
			if s.Kind != trace.Send || s.Bytes <= 8<<10 || tr.Meta.Nodes[k.from] == tr.Meta.Nodes[k.to] {
				continue // its times are estimates, or it says nothing of the clocks
			}
			ways[k.from] = true
			require.LessOrEqual(t, s.Start, received[k].End+off, "%v, with clocks that are off by %d ns", k, off)
		}
		require.Equal(t, map[int32]bool{0: true, 1: true}, ways)
		checkMessages(t, tr, 3)
		checkSites(t, tr)
		checkRuns(t, tr)
		info := command(t, nil, "trace", "info", file)
		require.Equal(t, 0, info.code, info.stderr)
		require.Regexp(t, `(?m)^nodes a, b; their clocks are aligned within [\d.]+ [mµ]?s$`, info.stdout)
		for _, args := range [][]string{{"model", "run", "--param", "myrinet", file},
			{"model", "show", "--param", "myrinet", "-o", file + ".html", file}} {
			got := command(t, nil, args...)
			require.Equal(t, 0, got.code, got.stderr)
		}
	}
}

// What the nodes of a job that failed have recorded can be read.
func TestTraceOfNodesThatFail(t *testing.T) {
	program := programs.Build(t, "./testdata/traced")
	file := filepath.Join(t.TempDir(), "trace")
	got := command(t, nil, "--hosts", "a:1,b:2", "--rsh", hereAs(t), "--timeout", "60", "--trace", file, program, "die")
	require.Equal(t, 7, got.code, got.stderr)
	tr, err := trace.Open(file)
	require.NoError(t, err)
	require.NoError(t, tr.Cut)
	for rank := range tr.Ranks {
		require.NotEmpty(t, tr.Ranks[rank].Events, rank)
	}
	require.NoError(t, os.WriteFile(file, []byte("a text"), 0o644))
	got = command(t, nil, "--hosts", "a:1,b:2", "--rsh", hereAs(t), "--trace", file, program)
	require.Equal(t, 2, got.code, got.stderr)
	require.Contains(t, got.stderr, "it is no trace and is not overwritten")
}

// The page tables of each node are reported, and their sums.
func TestReportOfNodes(t *testing.T) {
	program := programs.Build(t, "../../examples/pi")
	for _, btl := range turn(t, 0) {
		got := command(t, nil, "--hosts", "a:2,b:1", "--rsh", hereAs(t), "--btl", btl, "--report", "pagetable", program)
		require.Equal(t, 0, got.code, got.stderr)
		require.Regexp(t, `(?m)^node a: 2 ranks were started and in Init after`, got.stderr)
		require.Regexp(t, `(?m)^node b: 1 ranks were started and in Init after`, got.stderr)
		require.Regexp(t, `(?m)^all nodes: page tables and memory: btl `+btl+`, 3 ranks in `, got.stderr)
		var kib [3]int
		n := 0
		for line := range strings.Lines(got.stderr) {
			if rest, ok := strings.CutPrefix(line, "page tables KiB"); ok && n < 3 {
				_, err := fmt.Sscan(rest, &kib[n])
				require.NoError(t, err)
				n++
			}
		}
		require.Equal(t, 3, n)
		require.Positive(t, kib[0])
		require.Equal(t, kib[0]+kib[1], kib[2])
	}
	got := command(t, nil, "--hosts", "a:2,b:1", "--rsh", hereAs(t), "--report", "pagetable", "sh", "-c", "exit 3")
	require.Equal(t, 3, got.code, got.stderr)
}

// A dry run says where ranks and programs would be, and what would start them.
func TestDryRunOfNodes(t *testing.T) {
	got := command(t, nil, "--dry-run", "--hosts", "a:2,b:3", "--rsh", "no-such-shell", "-n", "3", "true", ":", "-n",
		"2", "sh", "-c", "exit 1")
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `^5 ranks on 2 nodes
node  ranks  program +started by
a     0-1    true +no-such-shell a sh -c ''\\''\S+'\\'' node; exit \$\?'
b     2      true +no-such-shell b sh -c ''\\''\S+'\\'' node; exit \$\?'
b     3-4    sh -c exit 1 +
$`, got.stdout)
	slurm := env("SLURM_JOB_ID=1", "SLURM_JOB_NODELIST=n[1-2]", "SLURM_NODELIST=n[1-2]", "SLURM_JOB_NUM_NODES=2",
		"SLURM_NNODES=2", "SLURM_TASKS_PER_NODE=2(x2)", "SLURM_NTASKS=4")
	if got := command(t, slurm, "--dry-run", "true"); got.code == 0 {
		require.Contains(t, got.stdout,
			"all nodes are started by: srun --nodes=2 --ntasks=2 --ntasks-per-node=1 --nodelist=n1,n2")
	} else {
		require.Fail(t, got.stderr)
	}
}
