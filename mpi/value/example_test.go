package value_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/value"
)

// Each rank counts words of its own; rank 0 adds up. The same program runs with pvasrun on any number of ranks.
func Example() {
	mpi.Run(func(world *mpi.Comm) error {
		counts := map[string]int{"the": 3 + world.Rank(), "cat": 1}
		sum, err := value.Reduce(world, counts, func(a, b map[string]int) map[string]int {
			for word, n := range b {
				a[word] += n
			}
			return a
		}, 0)
		for _, word := range slices.Sorted(maps.Keys(sum)) { // none but on rank 0
			fmt.Println(word, sum[word])
		}
		return err
	})
	// Output:
	// cat 1
	// the 3
}
