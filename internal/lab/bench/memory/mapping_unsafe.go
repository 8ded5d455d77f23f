package memory

import (
	"fmt"
	"os"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi"
)

// mappingRank is one rank of Mapping. Rank 0 prints the three means, in microseconds.
func mappingRank(args []string) {
	var bytes, repetitions int
	rankside.ScanArgs("bytes and repetitions", args, &bytes, &repetitions)
	mpi.Run(func(world *mpi.Comm) error {
		if err := world.Barrier(); err != nil {
			return err
		}
		mine := make([]float64, 3)
		for range repetitions {
			if err := mapOnce(bytes, mine); err != nil {
				return err
			}
		}
		sum := make([]float64, len(mine))
		if err := mpi.Reduce(world, mine, sum, mpi.Sum[float64](), 0); err != nil || world.Rank() != 0 {
			return err
		}
		for _, us := range sum {
			fmt.Printf("%.4f ", us/float64(repetitions*world.Size()))
		}
		fmt.Println()
		return nil
	})
}

// mapOnce maps, touches and unmaps memory, and adds what each took to spent, in microseconds.
func mapOnce(bytes int, spent []float64) error {
	start := time.Now()
	lap := func(i int) {
		now := time.Now()
		spent[i] += float64(now.Sub(start).Nanoseconds()) / 1e3
		start = now
	}
	addr, err := sys.Mmap(0, uintptr(bytes), sys.ProtRead|sys.ProtWrite, sys.MapPrivate|sys.MapAnonymous, -1, 0)
	if err != nil {
		return fmt.Errorf("bench: map %d bytes: %w", bytes, err)
	}
	lap(0)
	memory := sys.Bytes(addr, bytes)
	for i := 0; i < len(memory); i += os.Getpagesize() {
		memory[i] = 1
	}
	lap(1)
	err = sys.Munmap(addr, uintptr(bytes))
	lap(2)
	return err
}
