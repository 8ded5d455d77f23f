package part

import (
	"bytes"
	"encoding/gob"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

// What says nothing but zeros arrives as well.
func TestZerosAreSent(t *testing.T) {
	send := func(from, to any) {
		var wire bytes.Buffer
		require.NoError(t, gob.NewEncoder(&wire).Encode(from))
		require.NoError(t, gob.NewDecoder(&wire).Decode(to))
	}
	var n Note
	zeros := Note{Links: &Links{}, Waiting: &Waits{}, Late: &LateDone{}, Request: &Request{}, Ended: &RankEnd{}}
	send(zeros, &n)
	require.Equal(t, zeros, n)
	var o Order
	send(Order{Links: &job.World{}, EndWorld: &job.World{}, Late: &Late{}}, &o)
	require.Equal(t, Order{Links: &job.World{}, EndWorld: &job.World{}, Late: &Late{}}, o)
}

// A program asks for more ranks than there is room for.
func TestSettle(t *testing.T) {
	full := func() error { return job.ErrSpawn }
	for _, c := range []struct {
		soft       string
		first      int
		free, size int
		err        string
	}{
		{"", 3, 5, 5, ""}, {"", 3, 4, 0, job.ErrSpawn.Error()}, {"1:3", 3, 4, 5, job.ErrSpawn.Error()},
		{"1,2", 3, 4, 4, ""}, {"x", 3, 9, 0, "is no list"}, {"", 0, 9, 0, "at least 1"},
	} {
		list := []job.Command{{Program: "a", N: c.first, Soft: c.soft}, {Program: "b", N: 2}}
		size, err := Settle(list, c.free, full)
		if c.err != "" {
			require.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.size, size)
		require.Equal(t, size-2, list[0].N)
	}
	_, err := Settle([]job.Command{{N: 1}}, 2, full)
	require.ErrorContains(t, err, "the name of the program is empty")
}

func TestLateOfNode(t *testing.T) {
	l := &Late{Commands: []job.Command{{N: 2}, {N: 1}, {N: 2}}, Nodes: []int{1, 0, 1, 1, 0}}
	for rank, want := range []int{0, 0, 1, 2, 2} {
		require.Equal(t, want, l.Command(rank))
	}
	each, all := l.Local(1)
	require.Equal(t, []int{1, 1, 1}, each)
	require.Equal(t, 3, all)
	require.Equal(t, []int{2, 1, 2}, l.CountsOf())
}
