package rig

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// requireTrace requires a file to be the whole trace of six ranks on three nodes.
func requireTrace(t *testing.T, file string) {
	t.Helper()
	text, err := exec.Command(pvasrun, "trace", "info", "--json", file).Output()
	require.NoError(t, err)
	var s struct {
		Job struct {
			Nodes      []int    `json:"nodes"`
			Hosts      []string `json:"hosts"`
			ClockError []int64  `json:"clock_error_ns"`
		} `json:"job"`
		Cut   string                 `json:"cut"`
		Ranks []struct{ Events int } `json:"ranks"`
	}
	require.NoError(t, json.Unmarshal(text, &s))
	require.Empty(t, s.Cut)
	require.Equal(t, []int{0, 0, 1, 1, 2, 2}, s.Job.Nodes)
	require.Equal(t, []string{"n0", "n1", "n2"}, s.Job.Hosts)
	require.Len(t, s.Ranks, 6)
	for _, r := range s.Ranks {
		require.Positive(t, r.Events)
	}
	for _, e := range s.Job.ClockError {
		require.Less(t, e, int64(time.Second))
	}
}

// What a job of several nodes has recorded is one file, and each node reports its page tables.
func TestTraceAndReport(t *testing.T) {
	eachStart(t, 3, func(t *testing.T, r *Rig, name string) {
		file := filepath.Join(t.TempDir(), "trace")
		j := r.start(append(starts[name](r, 2), "--trace", file, "--report", "pagetable", work, "check"), nil)
		require.Zero(t, j.wait(t, time.Minute), &j.stderr)
		requireTrace(t, file)
		for _, node := range []string{"n0", "n1", "n2"} {
			require.Contains(t, j.stderr.String(), "node "+node+": 2 ranks were started and in Init")
		}
		require.Contains(t, j.stderr.String(),
			"all nodes: page tables and memory: btl pvas, 6 ranks in 3 address spaces")
		r.requireNothing(t)
	})
}

// The same where a PMI launcher has started all: one process leads, and makes the file.
func TestTraceByPMI(t *testing.T) {
	t.Parallel()
	r := withSlurm(t, 3)
	file := filepath.Join(t.TempDir(), "trace")
	j := startPMI(r, "slurm/process per rank", "--trace", file, work, "check")
	require.Zero(t, j.wait(t, time.Minute), &j.stderr)
	requireTrace(t, file)
	r.requireNothing(t)
}
