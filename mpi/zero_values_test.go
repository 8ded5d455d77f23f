package mpi

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a program has not made is as good as nil: calls on it return an error, or nothing.
func TestZeroValues(t *testing.T) {
	inOneSpace(t, 1, func(c *Comm) error {
		var g Group
		require.Equal(t, Undefined, g.Rank())
		require.Zero(t, g.Size())
		none, err := c.Create(&g)
		require.NoError(t, err)
		require.Nil(t, none)
		none, err = c.CreateGroup(&g, 1)
		require.NoError(t, err)
		require.Nil(t, none)

		var graph Graph
		graph.Connect(SendNode(&graph, []byte{1}, 0), graph.JoinNode())
		graph.Tie()
		graph.SetUrgent(true)
		graph.SetPolicy(PolicyOwner)
		require.NoError(t, graph.Dump(io.Discard))
		_, err = graph.Issue()
		require.ErrorIs(t, err, ErrNoComm)

		require.ErrorContains(t, ReduceLocal([]int{1}, []int{2}, NewOp[int](nil, true)), "has no function")
		require.ErrorContains(t, Allreduce(c, nil, []int{2}, NewOp[int](nil, true)), "has no function")
		require.Equal(t, Undefined, Status{Bytes: 9}.CountIn(0))

		var r Request
		require.ErrorIs(t, errors.Join(r.Start(), r.Free()), ErrNotPersistent)
		return nil
	})
}
