package bench

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/neighbors"
)

// The gain is the time of plain to that of another way, and is printed only beside plain.
func TestExchangeGain(t *testing.T) {
	result := func(who string, us float64) neighbors.Result {
		return neighbors.Result{Contestant: who, Neighbors: "6", Devices: 4, Ranks: 7, Bytes: 1 << 20, Median: us,
			Peer: who == "openmpi"}
	}
	rows := [][]neighbors.Result{{result("plain", 400), result("steps", 300), result("openmpi", 500)}}
	cfg := &neighbors.Config{Neighbors: "6"}
	print := func() string {
		var out strings.Builder
		require.NoError(t, printExchange(&out, cfg, rows))
		return out.String()
	}
	require.Regexp(t, `plain +MB/s +formula +steps +MB/s +formula +gain +openmpi +MB/s +ratio\n`, print())
	require.Regexp(t, `0\.30 +2\.097e\+04 +- +1\.33 `, print())
	rows[0] = rows[0][1:]
	require.NotContains(t, print(), "gain")
}
