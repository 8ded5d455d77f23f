// Kmeans finds clusters of points in the plane. Each rank assigns some points to the nearest centres; the sums of all
// ranks give the next centres, until they stay. A line of the file is a point: x y.
//
//	pvasrun -n 4 ./examples/gallery/kmeans -k 3 POINTS
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/cmplx"
	"os"
	"strings"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	k := flag.Int("k", 2, "`number` of clusters; the first points are the first centres")
	flag.Parse()
	mpi.Run(func(world *mpi.Comm) error {
		text, err := os.ReadFile(flag.Arg(0))
		var points []complex128
		for line := range strings.Lines(string(text)) {
			var x, y float64
			_, bad := fmt.Sscan(line, &x, &y)
			points, err = append(points, complex(x, y)), errors.Join(err, bad)
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
