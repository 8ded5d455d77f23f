package launcher

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

// What is measured fills what is left open, by the task model; on several nodes by one of them.
func TestTunedSettings(t *testing.T) {
	j := Job{
		Settings: job.Settings{Spin: 7},
		Tuned: func(btl job.BTL) job.Settings {
			return map[job.BTL]job.Settings{job.BTLPvas: {EagerLimit: 1024, Spin: 8},
				job.BTLSM: {EagerLimit: 2048}}[btl]
		},
	}
	require.Equal(t, job.Settings{EagerLimit: 1024, Spin: 7}, j.SettingsFor(job.BTLPvas))
	require.Equal(t, job.Settings{EagerLimit: 2048, Spin: 7}, j.SettingsFor(job.BTLSM))
	j.Tuned = nil
	require.Equal(t, j.Settings, j.SettingsFor(job.BTLSM))
	j = ranks(btlSM, 1, "env", "X")
	j.Settings.EagerLimit = -1
	require.ErrorContains(t, j.check(), "eager limit of -1 bytes")
}
