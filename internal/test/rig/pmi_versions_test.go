package rig

import (
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// askVersion begins as a PMI client of a version does, prints the answer, and stays until the launcher ends
// it: what a client that has not finalized printed last may be lost.
const askVersion = `echo "cmd=init pmi_version=$1 pmi_subversion=$2" >&$PMI_FD; read -t 20 -u $PMI_FD line
echo "answer: $line"
read -u $PMI_FD line`

// The launchers that also speak PMI-2's own protocol serve PMI-1, which pvasrun speaks: so there is no
// need of the other. Which one it is to be is the client's choice.
func TestPMIVersions(t *testing.T) {
	t.Parallel()
	r := cluster(t, 2)
	for name, launcher := range map[string][]string{
		"slurm": {"srun", "-Q", "-N1", "-n1", "--mpi=pmi2"},
		"hydra": {"mpiexec.hydra", "-launcher", "ssh", "-hosts", "n0", "-n", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(launcher[0]); err != nil {
				t.Skipf("%s is not installed", launcher[0])
			}
			for version, minor := range map[string]string{"1": "1", "2": "0"} {
				j := r.start(slices.Concat(launcher, []string{"bash", "-c", askVersion, "bash", version, minor}), nil)
				require.Eventually(t, func() bool { return strings.Contains(j.stdout.String(), "answer: ") },
					time.Minute, time.Millisecond, &j.stderr)
				t.Log(j.stdout.String())
				require.Regexp(t, `answer: cmd=response_to_init .*pmi_version=`+version+` `, j.stdout.String())
				require.Regexp(t, `answer: .* rc=0`, j.stdout.String())
				require.NoError(t, j.cmd.Process.Signal(syscall.SIGTERM))
				j.wait(t, time.Minute) // with a code of the launcher's own
			}
			r.requireNothing(t)
		})
	}
}
