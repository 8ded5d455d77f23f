package comm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/mpi/fault"
)

// Group is an ordered set of ranks of the job, seen by one of them. It does not
// change, and holds nothing that would have to be given back. Its methods are local:
// they do not block. A group comes from Comm.Group and from other groups. A nil group
// has no ranks.
type Group struct {
	ranks []int32 // the job's rank of each member
	order []int32 // members by the job's rank; nil if that is the order they are in
	self  int     // the job's rank of this process
	rank  int     // this process' rank in the group, or Undefined

	session *Session // nil: the group is of the World Model
}

// nobody is what a nil or zero group stands for.
var nobody = &Group{self: Undefined, rank: Undefined}

// some returns the group, or nobody.
func (g *Group) some() *Group {
	if g == nil || g.ranks == nil && g.rank == 0 {
		return nobody
	}
	return g
}

// newGroup takes the ranks, no two of which are the same.
func newGroup(self int, ranks []int32) *Group {
	g := &Group{ranks: ranks, self: self}
	if !slices.IsSorted(ranks) {
		g.order = make([]int32, len(ranks))
		for i := range g.order {
			g.order[i] = int32(i)
		}
		slices.SortFunc(g.order, func(a, b int32) int { return int(ranks[a]) - int(ranks[b]) })
	}
	g.rank = g.find(int32(self))
	return g
}

// of is newGroup of ranks, all or most of which are of g.
func (g *Group) of(ranks []int32) *Group {
	n := newGroup(g.self, ranks)
	n.session = g.session
	return n
}

// list names the ranks in their order, but not very many of them.
func (g *Group) list() string {
	const most = 8
	var parts []string
	for i := 0; i < len(g.ranks); {
		first, next := i, i+1
		for next < len(g.ranks) && g.ranks[next] == g.ranks[next-1]+1 {
			next++
		}
		if len(parts) == most {
			return strings.Join(parts, ", ") + ", ..."
		}
		part := fmt.Sprint(g.ranks[first])
		if next-first > 1 {
			part += fmt.Sprintf("-%d", g.ranks[next-1])
		}
		parts, i = append(parts, part), next
	}
	return strings.Join(parts, ", ")
}

// consecutive is a group of ranks of the job that follow one another.
func consecutive(self, first, size int) *Group {
	ranks := make([]int32, size)
	for i := range ranks {
		ranks[i] = int32(first + i)
	}
	return newGroup(self, ranks)
}

// find returns the group's rank of a rank of the job, or Undefined.
func (g *Group) find(rank int32) int {
	if g.order == nil {
		i, ok := slices.BinarySearch(g.ranks, rank)
		if !ok {
			return Undefined
		}
		return i
	}
	i, ok := slices.BinarySearchFunc(g.order, rank, func(member, rank int32) int {
		return int(g.ranks[member]) - int(rank)
	})
	if !ok {
		return Undefined
	}
	return int(g.order[i])
}

// Size returns the number of ranks in the group, which may be 0.
func (g *Group) Size() int { return len(g.some().ranks) }

// Rank returns the number of the calling process in the group, or Undefined if it is not in it.
func (g *Group) Rank() int { return g.some().rank }

// TranslateRanks returns what rank each of the given ranks of g has in other.
func (g *Group) TranslateRanks(ranks []int, other *Group) ([]int, error) {
	g, other = g.some(), other.some()
	out := make([]int, len(ranks))
	for i, rank := range ranks {
		if rank == ProcNull {
			out[i] = ProcNull
			continue
		}
		if err := g.check(rank); err != nil {
			return nil, Wrap("translate ranks of group", err)
		}
		out[i] = other.find(g.ranks[rank])
	}
	return out, nil
}

// Incl returns the group of the given ranks of g, in the order given.
func (g *Group) Incl(ranks ...int) (*Group, error) {
	g = g.some()
	if _, err := g.selection(ranks); err != nil {
		return nil, Wrap("include in group", err)
	}
	members := make([]int32, len(ranks))
	for i, rank := range ranks {
		members[i] = g.ranks[rank]
	}
	return g.of(members), nil
}

// Excl returns g without the given ranks.
func (g *Group) Excl(ranks ...int) (*Group, error) {
	g = g.some()
	out, err := g.selection(ranks)
	if err != nil {
		return nil, Wrap("exclude from group", err)
	}
	return g.filter(func(rank int) bool { return !out[rank] }), nil
}

// Union returns the ranks of g, followed by those of other that are not in g.
func (g *Group) Union(other *Group) *Group {
	g, other = g.some(), other.some()
	members := slices.Clone(g.ranks)
	for _, rank := range other.ranks {
		if g.find(rank) == Undefined {
			members = append(members, rank)
		}
	}
	n := newGroup(max(g.self, other.self), members) // that of nobody is not known
	n.session = cmp.Or(g.session, other.session)
	return n
}

// Intersection returns the ranks of g that are in other too, in the order of g.
func (g *Group) Intersection(other *Group) *Group {
	g, other = g.some(), other.some()
	return g.filter(func(rank int) bool { return other.find(g.ranks[rank]) != Undefined })
}

// Difference returns the ranks of g that are not in other, in the order of g.
func (g *Group) Difference(other *Group) *Group {
	g, other = g.some(), other.some()
	return g.filter(func(rank int) bool { return other.find(g.ranks[rank]) == Undefined })
}

// Equal tells whether both groups have the same processes in the same order.
func (g *Group) Equal(other *Group) bool { return slices.Equal(g.some().ranks, other.some().ranks) }

func (g *Group) check(rank int) error {
	if uint(rank) >= uint(len(g.ranks)) {
		return &fault.RankError{Rank: rank, Size: len(g.ranks)}
	}
	return nil
}

// selection returns, for every rank of g, whether it is among the given ones.
func (g *Group) selection(ranks []int) ([]bool, error) {
	chosen := make([]bool, len(g.ranks))
	for _, rank := range ranks {
		if err := g.check(rank); err != nil {
			return nil, err
		}
		if chosen[rank] {
			return nil, fmt.Errorf("rank %d is given twice", rank)
		}
		chosen[rank] = true
	}
	return chosen, nil
}

// filter returns the members whose ranks in g are to be kept.
func (g *Group) filter(keep func(rank int) bool) *Group {
	var members []int32
	for rank, member := range g.ranks {
		if keep(rank) {
			members = append(members, member)
		}
	}
	return g.of(members)
}

// Range is the ranks First, First+Stride, First+2*Stride and so on up to Last, which
// may be below First if the stride is negative.
type Range struct {
	First, Last, Stride int
}

// RangeIncl returns the group of the ranks of g that are in the ranges, in that order.
func (g *Group) RangeIncl(ranges ...Range) (*Group, error) {
	ranks, err := g.inRanges(ranges)
	if err != nil {
		return nil, Wrap("include ranges in group", err)
	}
	return g.Incl(ranks...)
}

// RangeExcl returns g without the ranks that are in the ranges.
func (g *Group) RangeExcl(ranges ...Range) (*Group, error) {
	ranks, err := g.inRanges(ranges)
	if err != nil {
		return nil, Wrap("exclude ranges from group", err)
	}
	return g.Excl(ranks...)
}

// inRanges returns the ranks of ranges. It looks at no more than a rank too many.
func (g *Group) inRanges(ranges []Range) (ranks []int, err error) {
	g = g.some()
	for _, r := range ranges {
		if r.Stride == 0 {
			return nil, fmt.Errorf("the stride of the range from %d to %d is 0", r.First, r.Last)
		}
		for rank := r.First; r.Stride > 0 && rank <= r.Last || r.Stride < 0 && rank >= r.Last; rank += r.Stride {
			if err := g.check(rank); err != nil {
				return nil, err
			}
			ranks = append(ranks, rank)
		}
	}
	return ranks, nil
}
