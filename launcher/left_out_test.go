package launcher

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/job"
)

// A rank that has ended in order after fewer collective operations than the others is named. A rank that has not ended
// in order does not count, nor does one that does not know its number.
func TestLeftOut(t *testing.T) {
	m, err := job.InHeap(job.Config{Ranks: 5, BTL: job.BTLSM, CPUs: 1})
	require.NoError(t, err)
	root := m.Root()
	for rank, n := range []uint64{7, 6, 7, 3} {
		root.NoteWorldCalls(rank, n)
		root.SetState(rank, job.StateFinal)
	}
	root.SetState(3, job.StateInit)
	root.SetState(4, job.StateFinal)
	f, did := newTestFate(0)
	f.allEnded(root)
	require.Equal(t, 1, f.code)
	require.Equal(t,
		[]string{"say rank 1 has called Finalize after 6 collective operations on the communicator of all " +
			"ranks, rank 0 after 7: " + sameCalls}, *did)

	root.NoteWorldCalls(1, 7)
	f, did = newTestFate(0)
	f.allEnded(root)
	require.Zero(t, f.code)
	require.Empty(t, *did)
}

func TestReportOfFinalize(t *testing.T) {
	views := []job.View{collectiveView(0, "world", 1), collectiveView(1, "world", 0),
		waitView(2, job.OpRecv, 1, 5, time.Second, 1)}
	require.Empty(t, describeFinalize(views))
	views[1].Waiting.Collective.Name = job.Ending
	require.Equal(t,
		"  rank 1 is in MPI_Finalize, and rank 0 waits for it in allreduce: rank 1 has left out the call that rank 0 "+
			"waits for, or has made it on another communicator\n", describeFinalize(views))
	require.Contains(t, describeFinalize(views[:2]), "rank 0 waits")
	views[1].Waiting.Refused = `allreduce on "world": the operator is nil`
	require.Contains(t, describeFinalize(views[:2]), "rank 0 waits for, which may be the one that was refused\n")
	require.Equal(t, "  rank 1 was refused a call before: allreduce on \"world\": the operator is nil\n",
		describeRefused(views))
	views[0] = job.View{State: job.StateInit}
	require.Equal(t,
		"  rank 1 is in MPI_Finalize, and rank 2 waits for it in recv: rank 1 has left out the call that rank 2 "+
			"waits for, or has made it on another communicator or with another tag\n", describeFinalize(views))
	views[2].Waiting.Peer = job.AnyPeer
	require.Empty(t, describeFinalize(views), "another rank may send")
}
