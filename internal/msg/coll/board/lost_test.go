package board

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

// A rank of another world that ends is no loss for the members of a board, which look for it once.
func TestOthersThatEndAreNoLoss(t *testing.T) {
	root := jobtest.Create(t, job.Config{Ranks: 2, Places: 3, BTL: job.BTLSM, CPUs: 2}).Root()
	_, err := root.AddWorld(1, 0, 1)
	require.NoError(t, err)
	e := pml.New(root, 0, mem.New(root, mem.Options{}).Module(0))
	b := New(Members{Engine: e, Job: root, Rank: 0, Size: 2}, nil)
	require.False(t, b.deserted())
	root.MarkGone(2)
	require.False(t, b.deserted())
	require.Equal(t, 1, b.seen)
	root.MarkGone(1)
	require.True(t, b.deserted())
}
