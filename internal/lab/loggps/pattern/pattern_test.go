package pattern

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/loggps/graph"
)

// traffic counts the messages and the bytes of a program, and makes sure that every
// message has a receive of its size between the same ranks.
func traffic(t *testing.T, g *graph.Graph) (messages, bytes int64) {
	t.Helper()
	open := map[string]int{}
	for id := range graph.ID(g.Len()) {
		switch op := g.Op(id); {
		case op.Kind.Sends():
			messages++
			bytes += op.Size
			open[fmt.Sprint(op.Rank, op.Peer, op.Tag, op.Size)]++
		case op.Kind.Receives():
			open[fmt.Sprint(op.Peer, op.Rank, op.Tag, op.Size)]--
		}
	}
	for what, n := range open {
		require.Zero(t, n, what)
	}
	return messages, bytes
}

func TestTrafficOfCollectives(t *testing.T) {
	const k = 840 // divisible by the numbers of ranks
	log2 := map[int64]int64{1: 0, 2: 1, 5: 3, 8: 3}
	for _, n := range []int64{1, 2, 5, 8} {
		extra := int64(0) // ranks beyond a power of two
		if n == 5 {
			extra = 1
		}
		even := n - extra
		for name, want := range map[string][2]int64{
			"barrier-dissemination":        {n * log2[n], 0},
			"bcast-binomial":               {n - 1, (n - 1) * k},
			"reduce-binomial":              {n - 1, (n - 1) * k},
			"allreduce-recursive-doubling": {even*log2[even] + 2*extra, (even*log2[even] + 2*extra) * k},
			"allreduce-ring":               {2 * n * (n - 1), 2 * (n - 1) * k},
			"allgather-ring":               {n * (n - 1), n * (n - 1) * k},
			"alltoall-linear":              {n * (n - 1), n * (n - 1) * k},
			"alltoall-pairwise":            {n * (n - 1), n * (n - 1) * k},
		} {
			if n == 5 && name == "allreduce-recursive-doubling" {
				want = [2]int64{4*2 + 2, (4*2 + 2) * k}
			}
			f, err := Collective(name)
			require.NoError(t, err)
			g, err := Program(int(n), func(m Member) { f(m, k) })
			require.NoError(t, err)
			messages, bytes := traffic(t, g)
			assert.Equal(t, want, [2]int64{messages, bytes}, "%s of %d ranks", name, n)
		}
	}
	assert.Len(t, Collectives(), 8)
	_, err := Collective("bcast-carrier-pigeon")
	assert.ErrorContains(t, err, "bcast-binomial")
}

// A group may be any ranks of the program, in any order.
func TestGroup(t *testing.T) {
	world := []int{4, 1, 3}
	g, err := Program(6, func(m Member) {
		for i, r := range world {
			if r == m.Rank {
				Member{Calls: m.Calls, Rank: i, Ranks: len(world), World: world}.BinomialBcast(8, 1)
			}
		}
	})
	require.NoError(t, err)
	got := map[string]bool{}
	for id := range graph.ID(g.Len()) {
		if op := g.Op(id); op.Kind == graph.Send {
			got[fmt.Sprint(op.Rank, ">", op.Peer)] = true
		}
	}
	assert.Equal(t, map[string]bool{"1>4": true, "1>3": true}, got) // from the root, rank 1
}

func TestHalo(t *testing.T) {
	g, err := Program(12, func(m Member) { m.Halo([]int{3, 2, 2}, 10, 100, 2) })
	require.NoError(t, err)
	messages, bytes := traffic(t, g)
	assert.EqualValues(t, 12*6*2, messages)
	assert.EqualValues(t, 12*6*2*10, bytes)
	_, err = Program(0, func(Member) {})
	assert.ErrorContains(t, err, "0 ranks")
}
