package comm

import "fmt"

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
