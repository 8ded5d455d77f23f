package nas

import (
	"encoding/json"
	"os"

	"github.com/gopvas/gopvas/internal/lab/bench/npb"
	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// npbRankMain is a rank of a NAS benchmark.
func npbRankMain(args []string) {
	var benchmark, class string
	rankside.ScanArgs("benchmark and class", args, &benchmark, &class)
	runAndPrint(func(world *mpi.Comm) (npb.Result, error) { return npb.Run(world, benchmark, npb.Class(class)) })
}

// threadsRankMain is one by goroutines of the only rank.
func threadsRankMain(args []string) {
	var benchmark, class string
	var threads int
	rankside.ScanArgs("benchmark, class and number of goroutines", args, &benchmark, &class, &threads)
	runAndPrint(func(*mpi.Comm) (npb.Result, error) {
		return npb.RunThreads(benchmark, npb.Class(class), threads)
	})
}

// runAndPrint runs a benchmark; rank 0 prints the result for Run.
func runAndPrint(run func(world *mpi.Comm) (npb.Result, error)) {
	mpi.Run(func(world *mpi.Comm) error {
		r, err := run(world)
		if err != nil || world.Rank() != 0 {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(r)
	})
}
