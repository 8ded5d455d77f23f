package mpi

import "github.com/gopvas/gopvas/internal/msg/comm"

// Group is an ordered set of ranks. A nil Group is empty.
type Group comm.Group

// inner is the group as the layer below sees it.
func (g *Group) inner() *comm.Group { return (*comm.Group)(g) }

// grouped is a group that the layer below has made, unless it has failed.
func grouped(g *comm.Group, err error) (*Group, error) { return (*Group)(g), err }

// Range is ranks at a stride, for Group.RangeIncl and Group.RangeExcl.
type Range struct {
	First, Last, Stride int
}

func innerRanges(all []Range) []comm.Range {
	inner := make([]comm.Range, len(all))
	for i, r := range all {
		inner[i] = comm.Range(r)
	}
	return inner
}

// Size returns the number of ranks in the group, which may be 0.
//
// MPI 4.1 section 7.3.1.
func (g *Group) Size() int { return g.inner().Size() }

// Rank returns the number of the calling process in the group, or Undefined if it is
// not in it.
//
// MPI 4.1 section 7.3.1.
func (g *Group) Rank() int { return g.inner().Rank() }

// TranslateRanks returns what rank each of the given ranks of g has in other: the
// same process, or Undefined where it is not in other. ProcNull stays ProcNull. The
// error wraps a *RankError if g has no such rank.
//
// MPI 4.1 section 7.3.1 (MPI_Group_translate_ranks).
func (g *Group) TranslateRanks(ranks []int, other *Group) ([]int, error) {
	return g.inner().TranslateRanks(ranks, (*comm.Group)(other))
}

// Equal tells whether both groups have the same processes in the same order.
//
// MPI 4.1 section 7.3.1 (MPI_Group_compare).
func (g *Group) Equal(other *Group) bool { return g.inner().Equal((*comm.Group)(other)) }

// Compare tells how the group is like another.
//
// MPI 4.1 section 7.3.1 (MPI_Group_compare).
func (g *Group) Compare(other *Group) Comparison {
	return Comparison(g.inner().Compare((*comm.Group)(other)))
}

// Incl returns the group of the given ranks of g, in the order given. The error wraps
// a *RankError if g has no such rank; no rank may be given twice.
//
// MPI 4.1 section 7.3.2 (MPI_Group_incl).
func (g *Group) Incl(ranks ...int) (*Group, error) { return grouped(g.inner().Incl(ranks...)) }

// Excl returns g without the given ranks. The error wraps a *RankError if g has no
// such rank; no rank may be given twice.
//
// MPI 4.1 section 7.3.2 (MPI_Group_excl).
func (g *Group) Excl(ranks ...int) (*Group, error) { return grouped(g.inner().Excl(ranks...)) }

// RangeIncl returns the group of the ranks of g that are in the ranges, in that order. It
// is Incl of all of them.
//
// MPI 4.1 section 7.3.2 (MPI_Group_range_incl).
func (g *Group) RangeIncl(ranges ...Range) (*Group, error) {
	return grouped(g.inner().RangeIncl(innerRanges(ranges)...))
}

// RangeExcl returns g without the ranks that are in the ranges. It is Excl of all of them.
//
// MPI 4.1 section 7.3.2 (MPI_Group_range_excl).
func (g *Group) RangeExcl(ranges ...Range) (*Group, error) {
	return grouped(g.inner().RangeExcl(innerRanges(ranges)...))
}

// Union returns the ranks of g, followed by those of other that are not in g.
//
// MPI 4.1 section 7.3.2 (MPI_Group_union).
func (g *Group) Union(other *Group) *Group { return (*Group)(g.inner().Union((*comm.Group)(other))) }

// Intersection returns the ranks of g that are in other too, in the order of g.
//
// MPI 4.1 section 7.3.2 (MPI_Group_intersection).
func (g *Group) Intersection(other *Group) *Group {
	return (*Group)(g.inner().Intersection((*comm.Group)(other)))
}

// Difference returns the ranks of g that are not in other, in the order of g.
//
// MPI 4.1 section 7.3.2 (MPI_Group_difference).
func (g *Group) Difference(other *Group) *Group {
	return (*Group)(g.inner().Difference((*comm.Group)(other)))
}
