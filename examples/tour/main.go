// Tour shows the calls of package mpi, a function for each few of them; the guide is
// docs/writing-ranks.md. Without arguments it makes all stops.
//
//	pvasrun -n 4 ./examples/tour
//	pvasrun -n 4 ./examples/tour send reduce
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/mpi"
)

// stops are the functions by name; each file adds its own.
var stops = map[string]func(world *mpi.Comm) error{}

func main() {
	names := os.Args[1:]
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(stops))
	}
	mpi.Run(func(world *mpi.Comm) error {
		for _, name := range names {
			stop := stops[name]
			if stop == nil {
				return fmt.Errorf("no stop %q: there are %s", name, strings.Join(slices.Sorted(maps.Keys(stops)), ", "))
			}
			if err := stop(world); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			// What one stop sends with a wildcard another may not receive.
			if err := world.Barrier(); err != nil {
				return err
			}
		}
		return nil
	})
}
