package bench

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/bench/npb"
	"github.com/gopvas/gopvas/mpi"
)

// npbRankMain is a rank of a NAS benchmark; rank 0 prints the result for NPB.
func npbRankMain(args []string) {
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "bench: two arguments are needed: benchmark and class")
		os.Exit(2)
	}
	mpi.Run(func(world *mpi.Comm) error {
		r, err := npb.Run(world, args[0], npb.Class(args[1]))
		if err != nil || world.Rank() != 0 {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(r)
	})
}
