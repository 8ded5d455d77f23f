package rig

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A node that is cut off before its agent speaks is found out as soon as one that runs ranks.
func TestCutAtTheStart(t *testing.T) {
	r := cluster(t, 3)
	// The command that starts the agent of n2 gets there, and no further.
	script := filepath.Join(t.TempDir(), "rsh")
	by := map[string]string{
		"ssh":   `exec ssh "$1" "$2"`,
		"slurm": `exec srun -N1 -n1 --overlap --mpi=none --quiet --nodelist="$1" sh -c "$2"`,
	}
	for name, start := range by {
		for _, when := range []string{"before", "within"} {
			t.Run(name+"/"+when, func(t *testing.T) {
				text := "#!/bin/sh\n[ $1 != n2 ] || set -- n2 'sleep 1000'\n" + start + "\n"
				require.NoError(t, os.WriteFile(script, []byte(text), 0o755))
				argv := []string{pvasrun, "--node-timeout", "2s", "--hosts", hosts(r, 2), "--rsh", script, work, "check"}
				if name == "slurm" {
					argv = append([]string{"salloc", "-Q", "-N3", "--ntasks-per-node=2"}, argv...)
				}
				if when == "before" {
					r.Cut(2)
				}
				j := r.start(argv, nil)
				if when == "within" {
					require.Eventually(t, func() bool { return len(r.find(2, "^sleep 1000$")) > 0 }, time.Minute, time.Millisecond, "%s", &j.stderr)
					r.Cut(2)
				}
				begin := time.Now()
				code := j.wait(t, 30*time.Second)
				t.Logf("ended after %v: %s", time.Since(begin), &j.stderr)
				for _, pid := range r.find(2, "^sleep 1000$") {
					require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
				}
				r.Mend(2)
				require.Equal(t, 1, code)
				require.Contains(t, j.stderr.String(), "node n2")
			})
		}
	}
}
