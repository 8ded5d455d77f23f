package bench

import (
	"github.com/gopvas/gopvas/internal/lab/bench/costs"
	"github.com/gopvas/gopvas/internal/lab/bench/memory"
	"github.com/gopvas/gopvas/internal/lab/bench/nas"
	"github.com/gopvas/gopvas/internal/lab/bench/neighbors"
	"github.com/gopvas/gopvas/internal/lab/bench/overlap"
	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/internal/lab/bench/timed"
)

// RankMain runs a rank program and returns true, where args (those of the
// process, without its name) ask for one. A rank that fails exits and does not
// return.
func RankMain(args []string) bool {
	return rankside.RunRank(args, timed.Programs, memory.Programs, nas.Programs, neighbors.Programs,
		costs.Programs, overlap.Programs)
}
