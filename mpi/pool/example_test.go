package pool_test

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/pool"
)

func ExampleMap() {
	mpi.Run(func(world *mpi.Comm) error {
		files := []string{"pool.go", "dealer.go"} // those of rank 0 count
		lines, err := pool.Map(world, files, func(name string) (int, error) {
			text, err := os.ReadFile(name)
			return strings.Count(string(text), "\n"), err
		})
		if err != nil {
			return err
		}
		for i, n := range lines { // none but on rank 0
			fmt.Println(files[i], n > 50)
		}
		return nil
	})
	// Output:
	// pool.go true
	// dealer.go true
}

// What comes first is shown first; the loop ends when enough has been found.
func ExampleUnordered() {
	mpi.Run(func(world *mpi.Comm) error {
		candidates := func(yield func(int) bool) { // there is no last one
			for n := 1000; yield(n); n++ {
			}
		}
		for r, err := range pool.Unordered(world, candidates, isPrime) {
			if err != nil {
				return err
			}
			if r.Value {
				fmt.Println("a prime is found")
				break
			}
		}
		return nil
	})
}

func isPrime(n int) (bool, error) {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false, nil
		}
	}
	return n > 1, nil
}

func ExampleOrdered() {
	mpi.Run(func(world *mpi.Comm) error {
		lines := slices.Values([]string{"one", "two", "three"})
		shout := func(s string) (string, error) { return strings.ToUpper(s), nil }
		for r, err := range pool.Ordered(world, lines, shout) {
			if err != nil {
				return err
			}
			fmt.Println(r.Index, r.Value)
		}
		return nil
	})
}
