package pattern

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/loggps/graph"
)

// A Member is a rank of a group that does something together.
type Member struct {
	*graph.Calls
	Rank, Ranks int   // in the group
	World       []int // by rank of the group, its rank in the graph; nil: the same
}

// Program makes the graph of a program that every rank runs.
func Program(ranks int, run func(Member)) (*graph.Graph, error) {
	b := graph.NewBuilder(ranks)
	for r := range ranks {
		if b.Err() != nil {
			break
		}
		run(Member{Calls: b.Calls(r), Rank: r, Ranks: ranks})
	}
	return b.Graph()
}

// peer is the rank in the graph of a rank of the group, counted around the group.
func (m Member) peer(rank int) int {
	rank = ((rank % m.Ranks) + m.Ranks) % m.Ranks
	if m.World == nil {
		return rank
	}
	return m.World[rank]
}

// exchange sends to one rank and receives from another at the same time.
func (m Member) exchange(bytes int64, to, from int) {
	r := m.Irecv(bytes, m.peer(from))
	s := m.Isend(bytes, m.peer(to))
	m.Wait(r, s)
}

// collectives are the algorithms by name. Bytes is the size of the vector of a rank; of
// allgather and alltoall, the part for or from each rank.
var collectives = map[string]func(m Member, bytes int64){
	"barrier-dissemination":        func(m Member, _ int64) { m.Dissemination() },
	"bcast-binomial":               func(m Member, bytes int64) { m.BinomialBcast(bytes, 0) },
	"reduce-binomial":              func(m Member, bytes int64) { m.BinomialReduce(bytes, 0) },
	"allreduce-recursive-doubling": Member.RecursiveDoubling,
	"allreduce-ring":               Member.RingAllreduce,
	"allgather-ring":               Member.RingAllgather,
	"alltoall-linear":              Member.LinearAlltoall,
	"alltoall-pairwise":            Member.PairwiseAlltoall,
}

// Collectives are the names of the algorithms that Collective knows.
func Collectives() []string { return slices.Sorted(maps.Keys(collectives)) }

// Collective returns an algorithm by name. Rooted ones have rank 0 as root.
func Collective(name string) (func(m Member, bytes int64), error) {
	if f, ok := collectives[name]; ok {
		return f, nil
	}
	return nil, fmt.Errorf("pattern: collective %q: no such algorithm; there are %s", name,
		strings.Join(Collectives(), ", "))
}
