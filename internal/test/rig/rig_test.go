package rig

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A rig is what it says, and leaves nothing.
func TestRig(t *testing.T) {
	t.Parallel()
	var rack, node int
	t.Run("up", func(t *testing.T) {
		r := Up(t, 3, "sshd", "ssh", "ssh-keygen")
		rack, node = r.rack.pid, r.nodes[2].pid
		require.Equal(t, "n2\n", r.Run(2, "hostname"))
		require.NotEqual(t, r.Run(0, "cat", "/proc/sys/kernel/random/boot_id"),
			r.Run(1, "cat", "/proc/sys/kernel/random/boot_id"))
		r.StartSSH()
		require.Equal(t, "n1\n", r.Run(0, "ssh", "n1", "hostname"))
		require.Eventually(t, func() bool { return len(r.Processes(1)) == 1 }, time.Minute, time.Millisecond,
			"sshd, when the session has ended")
		r.Cut(1)
		_, err := r.Command(0, "ssh", "-o", "ConnectTimeout=1", "n1", "true").CombinedOutput()
		require.Error(t, err)
		r.Mend(1)
		require.Equal(t, "n1\n", r.Run(0, "ssh", "-o", "ConnectTimeout=10", "n1", "hostname"))
	})
	if rack == 0 {
		t.Skip("there was no rig")
	}
	for _, pid := range []int{rack, node} {
		require.Eventually(t, func() bool {
			_, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid)))
			return os.IsNotExist(err)
		}, time.Minute, time.Millisecond)
	}
	mounts, err := os.ReadFile("/proc/mounts")
	require.NoError(t, err)
	require.NotContains(t, string(mounts), "tmpfs /mnt ")
}

// Slurm runs steps on the nodes.
func TestSlurm(t *testing.T) {
	t.Parallel()
	r := Up(t, 2, SlurmTools...)
	r.StartSlurm(4)
	out := strings.Fields(r.Run(0, "srun", "-N2", "hostname"))
	require.ElementsMatch(t, []string{"n0", "n1"}, out)
}
