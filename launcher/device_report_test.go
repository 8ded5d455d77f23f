package launcher

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

func TestDescribeUse(t *testing.T) {
	require.Equal(t,
		"7 bytes sent, in 2 pieces of long messages and otherwise, 9 received; busy for 2.000 s; 6.2 MB/s, latency "+
			"60 us; failed 3 times",
		describeUse(&job.DeviceUse{Sent: 7, Received: 9, Pieces: 2, Bandwidth: 6_200_000, Latency: 60_000, Failures: 3},
			2e9))
	require.Equal(t,
		"7 bytes sent, in 0 pieces of long messages and otherwise, 0 received; busy for 0.000 s; - MB/s, latency - "+
			"us; not known to have reached a peer",
		describeUse(&job.DeviceUse{Sent: 7}, 0))
}
