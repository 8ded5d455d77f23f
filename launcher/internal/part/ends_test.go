package part

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

// failed tells whether an end is doubtful, in these scripts.
func failed(e *RankEnd) bool { return e.Status != 0 }

// An end that is no failure needs no question. A failure does, and the ends behind it wait for the answers.
func TestEndsWaitForAnswers(t *testing.T) {
	var q Ends
	q.Add(0, &RankEnd{Rank: 1})
	q.Add(1, &RankEnd{Rank: 2, Status: 256})
	q.Add(0, &RankEnd{Rank: 3})
	next := func(rank int, asks bool) {
		e, ask, ok := q.Next(failed)
		require.True(t, ok)
		require.Equal(t, rank, e.Rank)
		require.Equal(t, asks, ask)
	}
	next(1, false)
	next(2, true)
	q.Ask([]int{0, 1, 2})
	_, _, ok := q.Next(failed)
	require.False(t, ok)
	for _, node := range []int{0, 0, 2} { // the second one is not asked any more
		_, _, ok = q.Answered(node, node == 0)
		require.False(t, ok)
	}
	e, alone, ok := q.Answered(1, false)
	require.True(t, ok)
	require.False(t, alone, "node 0 links its world to others")
	require.Equal(t, NodeEnd{1, &RankEnd{Rank: 2, Status: 256}}, e)
	next(3, false)
	_, _, ok = q.Next(failed)
	require.False(t, ok)
}

// A world that nobody links to others ends alone: the ends of its other ranks are no failures then.
func TestEndOfAWorldAlone(t *testing.T) {
	var q Ends
	q.Add(0, &RankEnd{Rank: 5, Status: 256})
	q.Add(0, &RankEnd{Rank: 4, Status: 15})
	_, ask, _ := q.Next(failed)
	require.True(t, ask)
	q.Ask([]int{0})
	e, alone, ok := q.Answered(0, false)
	require.True(t, ok)
	require.True(t, alone)
	require.False(t, q.Ending(e.Rank))
	q.EndWorld(job.World{First: 4, Size: 2})
	e, ask, ok = q.Next(failed)
	require.True(t, ok)
	require.False(t, ask)
	require.Equal(t, 4, e.Rank)
	require.True(t, q.Ending(4))
	require.False(t, q.Ending(6))
}
