package costs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/loggps"
)

// TestOperationTimes: a quarter of the times of all jobs do not exceed what counts; names and lengths are in order.
func TestOperationTimes(t *testing.T) {
	times := operationTimes{}
	require.NoError(t, times.read("scan=flat 32 20\nbarrier=flat 0 7.5\nscan=flat 16 10 14 12\n"))
	require.NoError(t, times.read("scan=flat 16 14\nscan=flat 16 11\n"))
	require.Equal(t, []loggps.Operation{
		{Name: "barrier=flat", Ranks: 2, Points: []loggps.OperationPoint{{Bytes: 0, Time: 7.5}}},
		{Name: "scan=flat", Ranks: 2, Points: []loggps.OperationPoint{{Bytes: 16, Time: 11}, {Bytes: 32, Time: 20}}},
	}, times.operations(2))
	for _, line := range []string{"scan=flat 16", "scan=flat x 1", "scan=flat 16 1 x"} {
		require.ErrorContains(t, times.read(line), "unexpected output")
	}
}

// TestLengthsInTurn: all powers of two, and the first ones from the shortest to the longest; then those between.
func TestLengthsInTurn(t *testing.T) {
	require.Equal(t, []int{16, 256, 4096, 64, 1024, 32, 512, 128, 2048, 24, 48, 96, 192, 384, 768, 1536, 3072},
		lengthsInTurn(4096))
}
