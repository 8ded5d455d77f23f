// Command asleep has all ranks wait for rank 0, which sleeps. It prints what that costs: changes of threads a rank, and
// the memory areas that there are, by rank too if they share an address space.
package main

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gopvas/gopvas/mpi"
)

func main() { mpi.Run(asleep) }

func asleep(world *mpi.Comm) error {
	for range 2 { // what the first call makes, the second has
		if err := world.Barrier(); err != nil {
			return err
		}
	}
	before, err := switches()
	if err != nil {
		return err
	}
	if world.Rank() == 0 {
		time.Sleep(3 * time.Second)
	}
	if err := world.Barrier(); err != nil {
		return err
	}
	after, err := switches()
	if err != nil {
		return err
	}
	sum := []int64{0}
	if err := mpi.Reduce(world, []int64{after - before}, sum, mpi.Sum[int64](), 0); err != nil || world.Rank() > 0 {
		return err
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return err
	}
	areas := bytes.Count(maps, []byte{'\n'})
	fmt.Printf("%d %d\n", sum[0]/int64(world.Size()), areas/world.Size())
	return nil
}

// switches returns how often this process has given up a CPU, whichever of its threads.
func switches() (int64, error) {
	var used unix.Rusage
	err := unix.Getrusage(unix.RUSAGE_SELF, &used)
	return used.Nvcsw + used.Nivcsw, err
}
