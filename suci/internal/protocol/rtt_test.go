package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Processes that wait for a CPU are given time to answer. That is forgotten when they are fast again.
func TestProbeWaitsForLateProcesses(t *testing.T) {
	var r rtt
	r.answered(5 * Millisecond)
	require.Equal(t, firstProbe, r.probe(), "no round trip is known")
	for range 100 {
		r.sample(0, 50*Microsecond)
	}
	require.GreaterOrEqual(t, r.probe(), 10*Millisecond)
	require.Less(t, r.probe(), 11*Millisecond)
	r.answered(Second)
	require.Less(t, r.probe(), 2*mostLate+Millisecond, "bounded")
	for range 100 {
		r.answered(100 * Microsecond)
	}
	require.Less(t, r.probe(), slowAckDelay+Millisecond)
}
