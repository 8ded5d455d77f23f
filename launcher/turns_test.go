package launcher

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

// A rank waits until another one is in Init, but no rank waits any more once none has come.
func TestTurns(t *testing.T) {
	memory, err := job.Create(job.Config{Ranks: 8, BTL: job.BTLSM, CPUs: 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, memory.Close()) }()
	root := memory.Root()
	turns := turns{most: 2}
	turns.await(root)
	turns.await(root)
	require.NoError(t, root.Reach(job.HoldInit))
	turns.await(root)
	reached := make(chan error, 1)
	go func() { reached <- root.Reach(job.HoldInit) }()
	turns.await(root)
	require.NoError(t, <-reached)
	require.Equal(t, 4, turns.begun)

	turns.most = 2
	turns.await(root) // nobody comes
	require.Zero(t, turns.most)
	turns.await(root)
}
