package rig

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Under Slurm and its PMI a deadlock of ranks on two nodes is proved and ends the job with code 125, which is that of
// srun, too. A program in which ranks wait for long for one that is slow runs to its end.
func TestDeadlockUnderSlurm(t *testing.T) {
	t.Parallel()
	r := withSlurm(t, 2)
	for name, start := range map[string][]string{
		"allocation":           bySlurm(r, 1),
		"pmi/process per node": {"srun", "-Q", "-N2", "-n2", "--mpi=pmi2", pvasrun, "--pmi"},
		"pmi/process per rank": {"srun", "-Q", "-N2", "--ntasks-per-node=2", "--mpi=pmi2", pvasrun, "--pmi"},
	} {
		t.Run(name, func(t *testing.T) {
			j := r.start(slices.Concat(start, []string{"--deadlock-after", "300ms", work, "stuck"}), nil)
			require.Equal(t, 125, j.wait(t, time.Minute), &j.stderr)
			require.Regexp(t, `deadlock, proved: rank 0 waits for rank 1 waits for .*rank 0; nothing has moved for`,
				j.stderr.String())
			require.Regexp(t, `pvasrun: deadlock: ending \d ranks`, j.stderr.String())
			r.requireNothing(t)

			j = r.start(slices.Concat(start, []string{"--deadlock-after", "300ms", work, "slow"}), nil)
			require.Zero(t, j.wait(t, time.Minute), &j.stderr)
			require.Empty(t, j.stderr.String())
			r.requireNothing(t)
		})
	}
}
