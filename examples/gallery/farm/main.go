// Farm counts primes. The blocks of numbers are tasks, which take longer the higher they are: an idle rank does the
// next. With --survive others do the tasks of ranks that die; with -die some kill themselves, as a defect would.
//
//	pvasrun --survive -n 9 ./examples/gallery/farm -below 1000000 -die 5
package main

import (
	"fmt"
	"os"
	"syscall"

	"github.com/gopvas/gopvas/examples/gallery/internal/args"
	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/pool"
)

const block = 10_000

func main() {
	below := args.Number("below", 1_000_000, 1e9, "the `number` up to which primes are counted")
	die := args.Number("die", 0, 1e6, "`number` of workers that die")
	args.Parse("")
	mpi.Run(func(world *mpi.Comm) error {
		if err := world.Barrier(); err != nil { // from here on the job survives
			return err
		}
		var blocks []int
		for first := 2; first < *below; first += block {
			blocks = append(blocks, first)
		}
		counts, err := pool.Map(world, blocks, func(first int) (int, error) {
			if me := world.Rank(); 0 < me && me <= *die {
				return 0, syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			return primes(first, min(first+block, *below)), nil
		})
		if err != nil || world.Rank() > 0 {
			return err
		}
		sum := 0
		for _, n := range counts {
			sum += n
		}
		_, err = fmt.Printf("%d primes; workers that have failed: %d\n", sum, world.Failed().Size())
		return err
	})
}

func primes(first, end int) (found int) {
next:
	for n := first; n < end; n++ {
		for d := 2; d*d <= n; d++ {
			if n%d == 0 {
				continue next
			}
		}
		found++
	}
	return found
}
