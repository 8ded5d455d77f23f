package comm

import (
	"fmt"
	"slices"
)

// Comparison is how two communicators, or two groups, are like.
type Comparison int

// The results of comparisons, MPI 4.1 sections 7.3.1 and 7.4.1.
const (
	Identical Comparison = iota // the same; of groups: the same ranks in the same order
	Congruent                   // different communicators of the same ranks in the same order
	Similar                     // the same ranks in another order
	Unequal
)

// String returns the name of the comparison's result.
func (c Comparison) String() string {
	names := [...]string{"Identical", "Congruent", "Similar", "Unequal"}
	if c < 0 || int(c) >= len(names) {
		return fmt.Sprintf("Comparison(%d)", int(c))
	}
	return names[c]
}

// Compare tells how the group is like another.
func (g *Group) Compare(other *Group) Comparison {
	g, other = g.some(), other.some()
	switch {
	case g.Equal(other):
		return Identical
	case len(g.ranks) == len(other.ranks) && slices.Equal(g.sorted(), other.sorted()):
		return Similar
	}
	return Unequal
}

func (g *Group) sorted() []int32 {
	ranks := slices.Clone(g.ranks)
	slices.Sort(ranks)
	return ranks
}

// Compare tells how the communicator is like another of this rank.
func (c *Comm) Compare(other *Comm) Comparison {
	if c == other {
		return Identical
	}
	if (c.remote() == nil) != (other.remote() == nil) {
		return Unequal
	}
	how := max(c.Group().Compare(other.Group()), Congruent)
	if c.remote() != nil {
		how = max(how, c.remote().Compare(other.remote()))
	}
	return how
}
