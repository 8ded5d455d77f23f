package rig

import (
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// byPMI are PMI launchers that start pvasrun on three nodes, for six ranks.
var byPMI = map[string]struct {
	launcher []string
	options  []string // of pvasrun
}{
	"slurm/process per rank": {[]string{"srun", "-Q", "-N3", "--ntasks-per-node=2", "--mpi=pmi2"}, nil},
	"slurm/process per node": {[]string{"srun", "-Q", "-N3", "-n3", "--mpi=pmi2"}, []string{"-n", "2"}},
	"hydra/process per rank": {[]string{"mpiexec.hydra", "-launcher", "ssh", "-hosts", "n0,n1,n2",
		"-ppn", "2", "-n", "6"}, nil},
	"hydra/by port": {[]string{"mpiexec.hydra", "-pmi-port", "-launcher", "ssh", "-hosts", "n0,n1,n2",
		"-ppn", "2", "-n", "6"}, nil},
	"hydra/process per node": {[]string{"mpiexec.hydra", "-launcher", "ssh", "-hosts", "n0,n1,n2", "-ppn", "1", "-n",
		"3"}, []string{"-n", "2"}},
}

func startPMI(r *Rig, name string, args ...string) *job {
	by := byPMI[name]
	return r.start(slices.Concat(by.launcher, []string{pvasrun, "--pmi"}, by.options, args), nil)
}

// Jobs under PMI launchers: messages, exit codes.
func TestPMI(t *testing.T) {
	t.Parallel()
	r := cluster(t, 3)
	for name, by := range byPMI {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(by.launcher[0]); err != nil {
				t.Skipf("%s is not installed", by.launcher[0])
			}
			j := startPMI(r, name, work, "check")
			require.Zero(t, j.wait(t, time.Minute), &j.stderr)
			for rank := range 6 {
				require.Contains(t, j.stdout.String(), fmt.Sprintf("rank %d of 6 on n%d ", rank, rank/2))
			}
			j = startPMI(r, name, "sh", "-c", "env | grep ^PMI_FD; exit $((PVAS_RANK == 4 ? 7 : 0))")
			require.Equal(t, 7, j.wait(t, time.Minute), &j.stderr)
			require.Regexp(t, `pvasrun: rank 4 \(pid \d+, sh\) on n2 exited with code 7`, j.stderr.String())
			require.NotContains(t, j.stdout.String(), "PMI_FD", "ranks are not the launcher's processes")
			r.requireNothing(t)
		})
	}
}

// Whatever happens to a job under Slurm's PMI, it ends, and leaves nothing.
func TestPMIHarm(t *testing.T) {
	t.Parallel()
	r := withSlurm(t, 3)
	for name, harm := range map[string]struct {
		do   func(*testing.T, *job)
		says string
	}{
		"agent": {func(t *testing.T, j *job) { j.kill(t, 2, `pvasrun --pmi`) },
			`pvasrun: node n2 is lost: .*; ending the other 4 ranks`},
		"leader": {func(t *testing.T, j *job) { j.kill(t, 0, `^\S*pvasrun --pmi`) }, ``},
		"scancel": {func(t *testing.T, j *job) {
			r.Run(0, "sh", "-c", "scancel $(squeue -h -o %i)")
		}, ``},
		"cut": {func(t *testing.T, j *job) { r.Cut(2) }, `pvasrun: node n2 is lost: nothing was heard`},
	} {
		t.Run(name, func(t *testing.T) {
			j := startPMI(r, "slurm/process per node", work, "busy")
			j.awaitRanks(t, 6)
			harm.do(t, j)
			require.Eventually(t, func() bool {
				n := 0
				for node := range 3 {
					n += len(r.find(node, `^pvasrun-host|^\S*pvasrun --pmi`))
				}
				return n == 0
			}, 20*time.Second, 10*time.Millisecond, "%s", &j.stderr)
			if name == "cut" || name == "leader" { // srun waits for the node, and for what the leader has left
				_ = j.cmd.Process.Signal(syscall.SIGTERM)
				r.Mend(2)
			}
			require.NotZero(t, j.wait(t, time.Minute), &j.stderr)
			require.Regexp(t, harm.says, j.stderr.String())
			r.requireNothing(t)
		})
	}
}
