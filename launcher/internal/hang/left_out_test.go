package hang

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

func TestReportOfFinalize(t *testing.T) {
	views := []job.View{collectiveView(0, "world", 1), collectiveView(1, "world", 0),
		waitView(2, job.OpRecv, 1, 5, time.Second, 1)}
	require.Empty(t, describeFinalize(views))
	views[1].Waiting.Collective.Name = job.Ending
	require.Equal(t,
		"  rank 1 is in finalize, and rank 0 waits for it in allreduce: rank 1 has left out the call that rank 0 "+
			"waits for, or has made it on another communicator\n", describeFinalize(views))
	require.Contains(t, describeFinalize(views[:2]), "rank 0 waits")
	views[1].Waiting.Refused = `allreduce on "world": the operator is nil`
	require.Contains(t, describeFinalize(views[:2]), "rank 0 waits for, which may be the one that was refused\n")
	require.Equal(t, "  rank 1 was refused a call before: allreduce on \"world\": the operator is nil\n",
		describeRefused(views))
	views[0] = job.View{State: job.StateInit}
	views[1].Waiting.Call = "MPI_Finalize" // in C
	require.Equal(t,
		"  rank 1 is in MPI_Finalize, and rank 2 waits for it in recv: rank 1 has left out the call that rank 2 "+
			"waits for, or has made it on another communicator or with another tag\n", describeFinalize(views))
	views[2].Waiting.Peer = job.AnyPeer
	require.Empty(t, describeFinalize(views), "another rank may send")
}
