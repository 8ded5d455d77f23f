package run

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/settings"
	"github.com/gopvas/gopvas/internal/job"
)

// The longest list of algorithms that makes sense has room in the root block.
func TestEveryAlgorithmFits(t *testing.T) {
	var list []string
	for _, kind := range []string{"barrier", "bcast", "reduce", "allreduce", "reduce_scatter", "scan", "exscan",
		"gather", "scatter", "allgather", "alltoall"} {
		list = append(list, kind+"=direct")
	}
	f := Flags{TunableFlags: settings.TunableFlags{EagerLimit: 1, RingBlock: 4096}}
	f.PeerTimeout = cli.Lapse(job.DefaultPeerTimeout)
	f.Coll = cli.Algorithms(strings.Join(list, ","))
	_, err := f.settings()
	require.NoError(t, err)
	f.Coll = cli.Algorithms(strings.Repeat(string(f.Coll)+",", 20))
	_, err = f.settings()
	require.ErrorContains(t, err, "more than 1024")
}
