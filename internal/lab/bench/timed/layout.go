package timed

import (
	"maps"
	"slices"
)

// Layouts are the names of the benchmarks of data that does not lie in one piece:
//
//	column     half a round trip of columns of a matrix of 4,096 columns of float64
//	struct     the same of records {int32, float64[3], int8[5]}: 33 bytes of every 40
//	halo       a column each way to both neighbours in a ring, by Sendrecv
//	transpose  a matrix whose rows are spread over the ranks, by Alltoallw
//
// Bytes are those of a message without its gaps: for halo those of each of the two, for
// transpose those from one rank to another. They are rounded down to whole records and
// squares; a column has no more than 4,096 elements, and what is longer is several, of
// which the last is whole.
func Layouts() []string { return slices.Sorted(maps.Keys(layouts)) }

// LeastLayout and MostLayout are the lengths of messages that Layouts can have.
const (
	LeastLayout = recordBytes
	MostLayout  = matrixColumns * matrixColumns * 8
)

func isLayout(benchmark string) bool {
	_, ok := layouts[benchmark]
	return ok
}

// layoutRepetitions are at most 2,000, and move no more than 64 MiB.
func layoutRepetitions(n int) int { return max(20, min(2000, 64<<20/n)) }
