package comm

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// TestGroupsAgainstNaiveModel makes random groups out of groups; the model is the list
// of the job's ranks.
func TestGroupsAgainstNaiveModel(t *testing.T) {
	random := testkit.Rand(t)
	for range 300 {
		size := 1 + random.IntN(40)
		self := random.IntN(size)
		world := consecutive(self, 0, size)
		a, modelA := randomGroup(t, random, world)
		b, modelB := randomGroup(t, random, world)
		requireGroup(t, modelA, a)
		requireGroup(t, modelB, b)

		inB := func(rank int32) bool { return slices.Contains(modelB, rank) }
		notInA := func(rank int32) bool { return !slices.Contains(modelA, rank) }
		requireGroup(t, keep(modelA, inB), a.Intersection(b))
		requireGroup(t, keep(modelA, func(r int32) bool { return !inB(r) }), a.Difference(b))
		requireGroup(t, slices.Concat(modelA, keep(modelB, notInA)), a.Union(b))
		require.Equal(t, slices.Equal(modelA, modelB), a.Equal(b))

		some := random.Perm(len(modelA))[:random.IntN(len(modelA)+1)]
		without, err := a.Excl(some...)
		require.NoError(t, err)
		var rest []int32
		for i, rank := range modelA {
			if !slices.Contains(some, i) {
				rest = append(rest, rank)
			}
		}
		requireGroup(t, rest, without)

		ranks := append(some, ProcNull)
		translated, err := a.TranslateRanks(ranks, b)
		require.NoError(t, err)
		for i, rank := range some {
			require.Equal(t, slices.Index(modelB, modelA[rank]), translated[i]) // -1 is Undefined
		}
		require.Equal(t, ProcNull, translated[len(some)])
	}
}

// randomGroup picks ranks of the world in any order, at times the ascending one.
func randomGroup(t *testing.T, random *rand.Rand, world *Group) (*Group, []int32) {
	ranks := random.Perm(world.Size())[:random.IntN(world.Size()+1)]
	if random.IntN(3) == 0 {
		slices.Sort(ranks)
	}
	g, err := world.Incl(ranks...)
	require.NoError(t, err)
	model := make([]int32, len(ranks))
	for i, rank := range ranks {
		model[i] = int32(rank)
	}
	return g, model
}

func keep(ranks []int32, f func(int32) bool) []int32 {
	return slices.DeleteFunc(slices.Clone(ranks), func(r int32) bool { return !f(r) })
}

func requireGroup(t *testing.T, model []int32, g *Group) {
	require.Equal(t, len(model), g.Size())
	require.True(t, slices.Equal(model, g.ranks), "%v is not %v", g.ranks, model)
	require.Equal(t, slices.Index(model, int32(g.self)), g.Rank()) // -1 is Undefined
}

func TestGroupMisuse(t *testing.T) {
	g := consecutive(1, 0, 4)
	for _, rank := range []int{-1, ProcNull, 4} {
		_, incl := g.Incl(0, rank)
		_, excl := g.Excl(rank)
		for _, err := range []error{incl, excl} {
			bad, ok := errors.AsType[*fault.RankError](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, fault.RankError{Rank: rank, Size: 4}, *bad)
		}
	}
	_, err := g.TranslateRanks([]int{4}, g)
	require.ErrorContains(t, err, "mpi: translate ranks of group: rank 4 is outside 0..3")
	_, err = g.Incl(2, 1, 2)
	require.ErrorContains(t, err, "mpi: include in group: rank 2 is given twice")
	_, err = g.Excl(3, 3)
	require.ErrorContains(t, err, "mpi: exclude from group: rank 3 is given twice")
}

// TestNilGroupHasNoRanks: a nil group and that of a nil communicator are empty ones.
func TestNilGroupHasNoRanks(t *testing.T) {
	world := consecutive(2, 0, 4)
	var none *Comm
	for _, nobody := range []*Group{nil, none.Group()} {
		require.Zero(t, nobody.Size())
		require.Equal(t, Undefined, nobody.Rank())
		require.True(t, nobody.Equal(nil))
		require.Equal(t, Identical, nobody.Compare(nil))
		require.Equal(t, Unequal, world.Compare(nobody))
		require.Equal(t, Unequal, nobody.Compare(world))
		for _, union := range []*Group{world.Union(nobody), nobody.Union(world)} {
			require.True(t, union.Equal(world))
			require.Equal(t, 2, union.Rank())
		}
		require.Zero(t, world.Intersection(nobody).Size())
		require.Zero(t, nobody.Intersection(world).Size())
		require.True(t, world.Difference(nobody).Equal(world))
		require.Zero(t, nobody.Difference(world).Size())
		translated, err := world.TranslateRanks([]int{3}, nobody)
		require.NoError(t, err)
		require.Equal(t, []int{Undefined}, translated)
		_, err = nobody.TranslateRanks([]int{0}, world)
		require.Error(t, err)
		_, err = nobody.Incl(0)
		require.Error(t, err)
		_, err = nobody.Excl(0)
		require.Error(t, err)
		_, err = nobody.RangeIncl(Range{First: 0, Last: 1, Stride: 1})
		require.Error(t, err)
	}
}
