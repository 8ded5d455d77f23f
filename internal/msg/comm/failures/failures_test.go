package failures

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

// The list grows at its end, whatever the numbers of the ranks. A rank that has ended well is not in it.
func TestEachListBeginsWithTheEarlier(t *testing.T) {
	m, err := job.InHeap(job.Config{Ranks: 4, BTL: job.BTLSM, CPUs: 1})
	require.NoError(t, err)
	root, l := m.Root(), &List{}
	end := func(rank int, state job.State) {
		root.SetState(rank, state)
		root.MarkGone(rank)
	}
	require.Empty(t, l.Ranks(root))
	end(2, job.StateInit)
	early := l.Ranks(root)
	require.Equal(t, []int32{2}, early)
	end(3, job.StateFinal)
	require.Equal(t, []int32{2}, l.Ranks(root))
	end(0, job.StateFaulted)
	require.Equal(t, []int32{2, 0}, l.Ranks(root))
	end(1, job.StateNone)
	require.Equal(t, []int32{2, 0, 1}, l.Ranks(root))
	require.Equal(t, []int32{2}, early)
}
