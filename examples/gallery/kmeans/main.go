// Kmeans finds clusters of points in the plane. Each rank assigns some points to the nearest centres; the sums of all
// ranks give the next centres, until they stay. A line of the file is a point: x y.
//
//	pvasrun -n 4 ./examples/gallery/kmeans -k 3 POINTS
package main

import (
	"fmt"
	"math/cmplx"
	"os"
	"strings"

	"github.com/gopvas/gopvas/examples/gallery/internal/args"
	"github.com/gopvas/gopvas/mpi"
)

func main() {
	k := args.Number("k", 2, 1e9, "`number` of clusters; the first points are the first centres")
	file := args.Parse("POINTS")[0]
	mpi.Run(func(world *mpi.Comm) error {
		text, err := os.ReadFile(file)
		points, x, y := []complex128{}, 0.0, 0.0
		for line := range strings.Lines(string(text)) {
			if _, bad := fmt.Sscan(line, &x, &y); bad != nil && err == nil {
				err = fmt.Errorf("%s:%d: want x y: %w", file, len(points)+1, bad)
			}
			points = append(points, complex(x, y))
		}
		if err != nil {
			return err
		}
		centres := append([]complex128{}, points[:min(max(*k, 1), len(points))]...)
		for moved := true; moved; {
			sums := make([]complex128, 2*len(centres)) // of the points, then how many they are
			for i := world.Rank(); i < len(points); i += world.Size() {
				at := 0
				for j, c := range centres {
					if cmplx.Abs(points[i]-c) < cmplx.Abs(points[i]-centres[at]) {
						at = j
					}
				}
				sums[at] += points[i]
				sums[len(centres)+at]++
			}
			if err := mpi.Allreduce(world, nil, sums, mpi.Sum[complex128]()); err != nil {
				return err
			}
			moved = false
			for i, n := range sums[len(centres):] {
				if c := sums[i] / n; n != 0 && c != centres[i] {
					centres[i], moved = c, true
				}
			}
		}
		if world.Rank() == 0 {
			fmt.Println(centres)
		}
		return nil
	})
}
