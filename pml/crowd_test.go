package pml

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/shm"
)

// A rank of several nodes with more ranks than CPUs may look as often as any, and gives way where it does not
// look: at a board, and in a test in vain.
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
