package mpi

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
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

		bare := Cart{Comm: c}
		_, _, shift := bare.Shift(0, 1)
		_, coords := bare.Coords(0)
		_, at := bare.RankAt(0)
		_, sub := bare.Sub(nil)
		for _, err := range []error{shift, coords, at, sub} {
			require.ErrorIs(t, err, ErrNoTopology)
		}
		require.Empty(t, bare.Dims())
		require.Empty(t, bare.Periods())

		truncated, err := Irecv(c, make([]int32, 1), 0, 5)
		require.NoError(t, err)
		require.NoError(t, Send(c, make([]int32, 2), 0, 5))
		_, _, err = WaitAny([]Request{truncated})
		require.ErrorContains(t, err, "mpi: wait any: ")
		require.NotContains(t, err.Error(), ": wait: ")

		var kept Kept[int]
		kept.SetVersion(1)
		require.Zero(t, kept.Version())
		require.Empty(t, kept.Elements())
		require.ErrorIs(t, kept.Free(), ErrNotKept)

		var r Request
		require.ErrorIs(t, errors.Join(r.Start(), r.Free()), ErrNotPersistent)
		return nil
	})
}

// No batch takes what is added to none, and the end of the job tells it.
func TestStrayOperations(t *testing.T) {
	var late, none *Batch
	odd := errors.New("odd")
	require.NoError(t, WaitBatch(func(b *Batch) error {
		late = b
		return nil
	}))
	late.Add(Request{}, odd)
	none.Add(Request{}, nil)
	told := takeStrays()
	require.ErrorIs(t, told, odd)
	require.Equal(t, 2, strings.Count(told.Error(), "the batch is nil or has ended"), told)
	require.Equal(t, 2, strings.Count(told.Error(), "(zero_values_test.go:"), told)
	require.NoError(t, takeStrays())
	require.Error(t, WaitBatch(nil))
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error { // which finds no request that is left
		receive, err1 := Irecv(c, []int{0}, 0, 1)
		send, err2 := Isend(c, []int{1}, ProcNull, 1)
		late.Add(receive, err1)
		late.Add(send, err2)
		told := takeStrays()
		return first(err1, err2, want("active", receive.Active(), false), want("sent", send.Active(), false),
			want("told", strings.Count(fmt.Sprint(told), "has ended"), 2))
	})
}
