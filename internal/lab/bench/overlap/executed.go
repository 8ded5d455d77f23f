package overlap

import (
	"fmt"
	"strings"

	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/debug"
)

// Executed is what a rank has executed of nonblocking collective operations.
type Executed struct {
	Nodes   uint64 `json:"nodes"`
	Foreign uint64 `json:"foreign"` // nodes of other ranks
	Bytes   uint64 `json:"bytes"`
}

// printExecuted lets rank 0 print a line for each rank.
func printExecuted(world *mpi.Comm) error {
	s := debug.Graphs()
	mine := []uint64{s.Nodes, s.Foreign, s.Bytes}
	all := make([]uint64, len(mine)*world.Size())
	if err := mpi.Gather(world, mine, all, 0); err != nil || world.Rank() != 0 {
		return err
	}
	for ; len(all) > 0; all = all[len(mine):] {
		fmt.Println(all[0], all[1], all[2])
	}
	return nil
}

// parseExecuted parses what printExecuted prints; peers print nothing.
func parseExecuted(lines []string) (ranks []Executed, err error) {
	for _, line := range lines {
		var e Executed
		if _, err := fmt.Sscan(line, &e.Nodes, &e.Foreign, &e.Bytes); err != nil {
			return nil, fmt.Errorf("bench: overlap: %q are not nodes, foreign nodes and bytes: %w",
				strings.TrimSpace(line), err)
		}
		ranks = append(ranks, e)
	}
	return ranks, nil
}
