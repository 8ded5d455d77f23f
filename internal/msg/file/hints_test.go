package file

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// TestHintsOfARefusedCall: hints are set all or none.
func TestHintsOfARefusedCall(t *testing.T) {
	var h hints
	var info comm.Info
	info.Set("striping_unit", "4096")
	info.Set(bufferSize, "none")
	require.ErrorIs(t, h.set(&info), ErrArgument)
	require.EqualValues(t, windowSize, h.window())
	info.Set(bufferSize, "70000")
	require.NoError(t, h.set(&info))
	require.EqualValues(t, 70000, h.window())
}
