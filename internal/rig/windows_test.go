package rig

import (
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/testkit"
)

// program makes the binary of package mpi's tests one of its programs.
func program(name string, seed uint64) func(*exec.Cmd) {
	return func(cmd *exec.Cmd) {
		cmd.Env = append(cmd.Environ(), "JOBTEST_PROGRAM="+name, fmt.Sprintf("TEST_SEED=%d", seed))
	}
}

// Ranks of several nodes use windows at random, against a model, though the network loses packets. Then a rank is
// killed, and a node is cut off: the others end, and say why.
func TestWindowsOverNodes(t *testing.T) {
	t.Parallel()
	r := withSSH(t, 3, "nft")
	r.lose(0.02)
	seed := testkit.Seed(t)
	for _, btl := range []string{"pvas", "sm"} {
		j := r.start(append(bySSH(r, 2), "--btl", btl, "--timeout", "150", windows), program("busy windows", seed))
		require.Zero(t, j.wait(t, 3*time.Minute), &j.stderr)

		j = r.start(append(bySSH(r, 2), "--btl", btl, windows), program("windows", seed))
		j.awaitRanks(t, 6)
		_, pid := j.rankOn(t, 1)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		require.Equal(t, 137, j.wait(t, time.Minute), &j.stderr)
		r.requireNothing(t)
	}
	j := r.start(append(bySSH(r, 2), windows), program("windows", seed))
	j.awaitRanks(t, 6)
	r.Cut(2)
	require.Equal(t, 1, j.wait(t, time.Minute), &j.stderr)
	require.Contains(t, j.stderr.String(), "node n2 is lost")
	r.Mend(2)
	r.requireNothing(t)
}
