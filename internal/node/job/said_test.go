package job

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each setting of a job is told to its ranks, and no other one.
func TestSettingsAreTold(t *testing.T) {
	for _, set := range []func(*Settings){
		func(*Settings) {},
		func(s *Settings) { s.Check = true },
		func(s *Settings) { s.Encrypt = true },
		func(s *Settings) { s.Reproducible = true },
		func(s *Settings) { s.Check, s.Synchronous = true, true },
		func(s *Settings) { s.Stats = true },
		func(s *Settings) { s.Survive = true },
		func(s *Settings) { s.Helpers = MaxRanks },
		func(s *Settings) { s.EagerLimit, s.RingBlock, s.Spin = 1, MinRingBlock, 7 },
		func(s *Settings) { s.Coll, s.Progress, s.Exchange = "bcast=linear", "none", "all" },
		func(s *Settings) { s.Thresholds = Thresholds{1 << 20, 2 << 20, 3 << 20, 4 << 20} },
	} {
		var s Settings
		set(&s)
		want, err := s.Resolve()
		require.NoError(t, err)
		require.Equal(t, want, testRoot(t, Config{Ranks: 2, CPUs: 2, Settings: s}).Settings())
	}
	_, err := Settings{Helpers: MaxRanks + 1}.Resolve()
	require.ErrorContains(t, err, "number of helpers")
}

// What a rank answers to a report is read as it was said, and no answer to another report is.
func TestPollsAreTold(t *testing.T) {
	r := testRoot(t, Config{Ranks: 2})
	said := Polls{Operation: Operation{Op: OpCollective, Peer: 1, Tag: -1, Bytes: 1 << 50, Name: "bcast on world"},
		Open: 7, Call: "MPI_Test", Place: 1 << 47, Source: "a.go:5 main"}
	for i := range int32(4) {
		said.Others = append(said.Others, Operation{Op: OpRecv, Peer: i, Tag: 3 * i, Bytes: uint64(i)})
	}
	r.SetPolls(1, 0, said)
	require.Zero(t, r.Polls(1), "nothing was asked")
	r.ReportCounter().Add(1)
	require.Zero(t, r.Polls(1))
	r.SetPolls(1, 1, said)
	require.Equal(t, said, r.Polls(1))
	require.Zero(t, r.Polls(0))
	said.Others = said.Others[:1]
	r.SetPolls(1, 1, said)
	require.Equal(t, said, r.Polls(1))
	r.ReportCounter().Add(1)
	require.Zero(t, r.Polls(1))
}

// A rank's task is told as it was said.
func TestTaskIsTold(t *testing.T) {
	r := testRoot(t, Config{Ranks: 2})
	r.SetTask(1, Task{Partition: 1 << 40, Size: 1 << 34, Arena: 1<<40 + 4096, ExitHooks: 1<<40 + 64})
	require.EqualValues(t, 1<<40+64, r.ExitHooks(1))
	require.Zero(t, r.ExitHooks(0))
	base, size := r.Partition(1)
	require.Equal(t, []uint64{1 << 40, 1 << 34}, []uint64{base, size})
	base, size = r.Arena(1)
	require.Equal(t, []uint64{1<<40 + 4096, 1<<34 - 4096}, []uint64{base, size})
}

// The ranks of a node are neighbours, whose partitions follow one another.
func TestNeighboursOfANode(t *testing.T) {
	const size = 1 << 34
	r := testRoot(t, Config{Ranks: 5, Nodes: []int{0, 1, 1, 1, 2}, Node: 1, Key: Key{1}})
	for rank := 1; rank < 4; rank++ {
		r.SetTask(rank, Task{Partition: uint64(100+rank) * size, Size: size})
	}
	for rank := 1; rank < 4; rank++ {
		base, each, first, last := r.Neighbours(rank)
		require.Equal(t, []uint64{101 * size, size}, []uint64{base, each})
		require.Equal(t, []int{1, 4}, []int{first, last})
	}
	_, _, first, last := r.Neighbours(4)
	require.Equal(t, []int{4, 5}, []int{first, last})
}

// Where a rank's memory for failures lies is told as it was said; 0 is a place, too.
func TestPlacesForFailures(t *testing.T) {
	r := testRoot(t, Config{Ranks: 2})
	for _, at := range []uint64{0, 64, 1 << 40} {
		_, ok := Kept(r, 1)
		require.Equal(t, at > 0, ok)
		SetKept(r, 1, at)
		SetAgreements(r, 1, at)
		got, ok := Kept(r, 1)
		require.True(t, ok)
		require.Equal(t, at, got)
		got, ok = Agreements(r, 1)
		require.True(t, ok)
		require.Equal(t, at, got)
		require.False(t, LeftAgreements(r, 1))
	}
	_, ok := Agreements(r, 0)
	require.False(t, ok)
	LeaveAgreements(r, 1)
	require.True(t, LeftAgreements(r, 1))
	at, ok := Agreements(r, 1)
	require.True(t, ok)
	require.EqualValues(t, 1<<40, at)
}
