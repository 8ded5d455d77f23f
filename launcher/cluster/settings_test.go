package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
)

// The limit of the leader counts on all nodes, as far as they allow it.
func TestStackOnNodes(t *testing.T) {
	hard := sys.HardLimit(sys.RlimitStack)
	for sizes, want := range map[[2]uint64]uint64{
		{0, 64 << 20}:             min(64<<20, hard),
		{0, sys.Unlimited}:        hard,
		{1 << 20, 64 << 20}:       1 << 20,
		{sys.Unlimited, 64 << 20}: sys.Unlimited,
	} {
		require.Equal(t, want, stackHere(sizes[0], sizes[1]), "%+v", sizes)
	}
}

// They are the limit of the ranks there, and of what they start. The limit of this process is as before.
func TestStackSizeOnNodes(t *testing.T) {
	launchertest.EachStackSize(t, func(t *testing.T, btl string, size uint64) string {
		j := ranks(btl, 2, "sh", "ulimit -s")
		j.StackSize = size
		out := runNodes(t, j, twoNodes())
		require.NoError(t, out.err, out.stderr)
		return out.stdout
	})
}

// The settings of all nodes are those of one task model: sm if the job says so, else pvas.
func TestTunedSettingsOnNodes(t *testing.T) {
	j := launcher.Job{
		Settings: job.Settings{Spin: 7},
		Tuned: func(btl job.BTL) job.Settings {
			return map[job.BTL]job.Settings{job.BTLPvas: {EagerLimit: 1024, Spin: 8},
				job.BTLSM: {EagerLimit: 2048}}[btl]
		},
	}
	for btl, want := range map[string]int{"": 1024, "auto": 1024, "pvas": 1024, "sm": 2048} {
		j.BTL = btl
		require.Equal(t, want, (&leader{job: &j}).settings().EagerLimit, btl)
	}
	j.Tuned = nil
	require.Equal(t, j.Settings, (&leader{job: &j}).settings())
}
