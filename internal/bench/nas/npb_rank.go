package nas

import (
	"encoding/json"
	"os"

	"github.com/gopvas/gopvas/internal/bench/npb"
	"github.com/gopvas/gopvas/internal/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// npbRankMain is a rank of a NAS benchmark; rank 0 prints the result for Run.
func npbRankMain(args []string) {
	var benchmark, class string
	rankside.ScanArgs("benchmark and class", args, &benchmark, &class)
	mpi.Run(func(world *mpi.Comm) error {
		r, err := npb.Run(world, benchmark, npb.Class(class))
		if err != nil || world.Rank() != 0 {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(r)
	})
}
