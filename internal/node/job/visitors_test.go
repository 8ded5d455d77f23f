package job

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Visitors have the last places, and names that all jobs know.
func TestVisitors(t *testing.T) {
	m, err := InHeap(Config{Ranks: 2, Places: 8, BTL: BTLSM, CPUs: 1})
	require.NoError(t, err)
	r := m.Root()
	require.EqualValues(t, 1, r.NameOf(1))
	early := r.NameOf(1)
	r.SetJobNumber(5)
	require.EqualValues(t, NameIn(5, 1), r.NameOf(1))
	require.Equal(t, 5, NumberIn(r.NameOf(1)))
	for _, name := range []uint32{early, r.NameOf(1)} {
		rank, ok := r.Named(name)
		require.True(t, ok)
		require.Equal(t, 1, rank)
	}
	require.NoError(t, r.AddVisitors(Visitors{ID: 3, Number: 9, Pid: 77, Nodes: []int{0, 1}, Key: Key{1}}))
	require.NoError(t, r.AddVisitors(Visitors{ID: 3, Number: 9, Pid: 77, First: 2, Nodes: []int{1}, Key: Key{1}}))
	require.Equal(t, 2, r.Ranks())
	require.Equal(t, []int{0, 1, 5, 6, 7}, slices.Collect(r.All()))
	rank, ok := r.Named(NameIn(9, 2))
	require.True(t, ok)
	require.Equal(t, 5, rank)
	require.True(t, r.Visits(5) && !r.Visits(4) && !r.Visits(8))
	require.Equal(t, "rank 2 of another job (that of pvasrun 77)", r.OtherJob(5))
	require.Empty(t, r.OtherJob(1))
	require.NotContains(t, []int{r.Node(0), r.Node(7)}, r.Node(5))
	require.Equal(t, r.Node(6), r.Node(5))
	require.Equal(t, Key{1}, r.VisitorKey(5))
	_, ok = r.Named(NameIn(9, 3))
	require.False(t, ok)

	// In the network, too, before it has a number.
	for rank := range r.All() {
		back, ok := NetNamed(r, NetName(r, rank))
		require.True(t, ok)
		require.Equal(t, rank, back)
	}
	_, ok = NetNamed(r, NetName(r, 1)+1<<nameBits)
	require.False(t, ok)

	// A later job with the number takes the names over.
	require.NoError(t, r.AddVisitors(Visitors{ID: 4, Number: 9, Pid: 78, Nodes: []int{0}, Key: Key{2}}))
	rank, _ = r.Named(NameIn(9, 0))
	require.Equal(t, 4, rank)

	// Visitors and ranks share the room.
	require.Error(t, r.AddVisitors(Visitors{ID: 5, Number: 10, Pid: 1, Nodes: []int{0, 0, 0}}))
	_, err = r.AddWorld(3, 0, 1)
	require.Error(t, err)
	_, err = r.AddWorld(2, 0, 1)
	require.NoError(t, err)

	r.MarkGone(5)
	_, lost := r.Lost()
	require.False(t, lost, "no rank of this job has gone")
	require.EqualValues(t, 1, r.EventCounter().Load())
}

// A job with more ranks than names tells its own apart in the network, also one that survives.
func TestNamesOfManyRanks(t *testing.T) {
	for _, survive := range []bool{false, true} {
		nodes := make([]int, 2*MostNumbered+1)
		nodes[0] = 1
		m, err := InHeap(Config{Ranks: len(nodes), BTL: BTLSM, CPUs: 1, Nodes: nodes,
			Settings: Settings{Survive: survive}})
		require.NoError(t, err)
		r, seen := m.Root(), map[uint32]bool{}
		for rank := range r.All() {
			name := NetName(r, rank)
			require.False(t, seen[name], rank)
			seen[name] = true
			back, ok := NetNamed(r, name)
			require.True(t, ok, rank)
			require.Equal(t, rank, back)
		}
	}
}
