package nas

import (
	"github.com/gopvas/gopvas/internal/lab/bench/npb"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
)

// Config describes a run of one of the NAS Parallel Benchmarks.
type Config struct {
	Benchmark  string // one of Benchmarks
	Class      npb.Class
	Ranks      []int
	Rounds     int // each contestant runs so often with each number of ranks, in turn; the median counts
	Contenders []runner.Contestant
	Step       func(contestant string, round int) // told before each job; nil: nobody
}
