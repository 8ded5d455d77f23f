package rig

import (
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
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

// Windows go on by any device: in turns one carries no datagram, from before the job begins. Each job takes far longer
// than --peer-timeout where it waits for that device.
func TestWindowsByAnyDevice(t *testing.T) {
	t.Parallel()
	r := withSSH(t, 2)
	r.AddDevice()
	for _, network := range []string{"10.77.0.0/16", "10.78.0.0/16"} {
		r.Run(1, "ip", "rule", "add", "to", network, "ipproto", "udp", "blackhole")
		j := r.start(append(bySSH(r, 2), "--peer-timeout", "3", "--timeout", "100", windows),
			program("busy windows", testkit.Seed(t)))
		require.Zero(t, j.wait(t, 2*time.Minute), &j.stderr)
		require.Contains(t, j.stderr.String(), "their ranks use other devices")
		r.Run(1, "ip", "rule", "del", "to", network, "ipproto", "udp")
		r.requireNothing(t)
	}
}
