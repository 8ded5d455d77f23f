package overlap

import "github.com/gopvas/gopvas/internal/lab/median"

// medianOf returns the middle one of the values of a list, the lower one of two.
func medianOf[T any](list []T, value func(T) float64) float64 {
	return value(median.By(list, value))
}
