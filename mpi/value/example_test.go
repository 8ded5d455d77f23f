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
		all, err := value.Gather(world, counts, 0)
		if err != nil || world.Rank() > 0 {
			return err
		}
		sum := map[string]int{}
		for _, m := range all {
			for word, n := range m {
				sum[word] += n
			}
		}
		for _, word := range slices.Sorted(maps.Keys(sum)) {
			fmt.Println(word, sum[word])
		}
		return nil
	})
	// Output:
	// cat 1
	// the 3
}
