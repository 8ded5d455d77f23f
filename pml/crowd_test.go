package pml

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl/mem"
	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/shm"
)

// TestFewGiveWay: a few more ranks than CPUs look in the waits of the engine, and yield elsewhere. More only yield.
func TestFewGiveWay(t *testing.T) {
	for _, test := range []struct{ ranks, looks int }{{1, job.DefaultSpin}, {2, fewLooks}, {5, 0}} {
		memory, err := job.Create(job.Config{Ranks: test.ranks, BTL: job.BTLSM, CPUs: 1})
		require.NoError(t, err)
		root := memory.Root()
		e := New(root, 0, mem.New(root, mem.Options{}).Module(0))
		require.Equal(t, test.looks, e.spin, test)
		require.Equal(t, test.looks == fewLooks, e.crowd != nil, test)
		require.Equal(t, test.ranks > 1, e.Yields(), test)
		require.NoError(t, memory.Close())
	}
}

// With a crowd and more ranks than CPUs, an engine looks often in its own waits, and yields after each look.
// Waits elsewhere, as at a board, and tests in vain yield at once.
func TestManyOfSeveralNodesYield(t *testing.T) {
	e := &Engine{spin: 100, crowd: shm.NewCrowd(true)}
	require.True(t, e.Yields())
	require.Zero(t, e.Spin())

	e.crowd = shm.NewCrowd(false)
	require.False(t, e.Yields())
	require.Equal(t, 100, e.Spin())

	require.True(t, (&Engine{}).Yields(), "one node, more ranks than CPUs")
	require.False(t, (&Engine{spin: 100}).Yields())
}
