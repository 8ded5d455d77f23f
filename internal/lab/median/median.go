package median

import (
	"cmp"
	"slices"
)

// Of returns the median: of an even number of values the mean of the two in the middle.
func Of(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// By returns the element of a list whose value is the median, of two the lower one.
func By[T any](list []T, value func(T) float64) T {
	l := slices.SortedStableFunc(slices.Values(list), func(a, b T) int { return cmp.Compare(value(a), value(b)) })
	return l[(len(l)-1)/2]
}
