package bench

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// CollConfig describes a run of a benchmark of a collective operation.
type CollConfig struct {
	Benchmark  string // one of Collectives
	Ranks      int
	Sizes      []int // bytes; only the first counts for barrier
	Rounds     int   // each contestant runs so often, in turn; medians are reported
	Repeat     int   // repetitions per size; 0: by size
	Contenders []Contestant
	Step       func(contestant string, round int) // told before each job; nil: nobody
}

// A CollResult is one contestant at one size: the round whose average is the median.
// Times are microseconds for one call, and are compared over the ranks.
type CollResult struct {
	Benchmark   string  `json:"benchmark"`
	BTL         string  `json:"btl"` // pvas, sm, or the name of the peer
	SingleCopy  string  `json:"single_copy"`
	Algorithm   string  `json:"algorithm"` // "" of a peer: not known
	Ranks       int     `json:"ranks"`
	Bytes       int     `json:"bytes"`
	Repetitions int     `json:"repetitions"`
	Min         float64 `json:"t_min_us"`
	Avg         float64 `json:"t_avg_us"`
	Max         float64 `json:"t_max_us"`
}

// Collectives are the names of the benchmarks of collective operations. Bytes are
// those of the vector for bcast, reduce, allreduce and reduce_scatter, and those from
// one rank to another for allgather, alltoall and neighbor.
func Collectives() []string { return slices.Sorted(maps.Keys(collectives)) }

// repetitions are at most 1,000, and move no more than about 1 GiB in all.
func (c *CollConfig) repetitions(n int) int {
	if c.Repeat > 0 {
		return c.Repeat
	}
	moved := n * c.Ranks
	if c.Benchmark == "alltoall" || c.Benchmark == "allgather" {
		moved *= c.Ranks
	}
	return max(10, min(1000, 1<<30/max(moved, 1)))
}

// Coll runs the contestants in turn and returns the results by contestant and size.
func Coll(ctx context.Context, cfg CollConfig) ([][]CollResult, error) {
	if cfg.Benchmark == "barrier" {
		cfg.Sizes = []int{0}
	}
	items := make([]string, len(cfg.Sizes))
	for i, n := range cfg.Sizes {
		items[i] = fmt.Sprintf("%d:%d", n, cfg.repetitions(n))
	}
	args := []string{"coll", cfg.Benchmark, strings.Join(items, ",")}
	rounds := make([][][]timing, len(cfg.Contenders)) // contestant, round, size
	for round := range cfg.Rounds {
		for i, c := range cfg.Contenders {
			if cfg.Step != nil {
				cfg.Step(c.String(), round)
			}
			out, err := c.run(ctx, cfg.Ranks, args)
			if err != nil {
				return nil, fmt.Errorf("bench: %s: %s: %w", cfg.Benchmark, c, err)
			}
			lines, err := parseLines(bytes.NewReader(out))
			if err != nil || len(lines) != len(cfg.Sizes) {
				return nil, fmt.Errorf("bench: %s: %s: unexpected output %.200q: %w", cfg.Benchmark, c, out, err)
			}
			rounds[i] = append(rounds[i], lines)
		}
	}
	results := make([][]CollResult, len(cfg.Contenders))
	for i, c := range cfg.Contenders {
		for k := range cfg.Sizes {
			t := medianRound(rounds[i], k)
			results[i] = append(results[i], CollResult{
				Benchmark: cfg.Benchmark, BTL: c.Name, SingleCopy: c.path(), Algorithm: t.algorithm, Ranks: cfg.Ranks,
				Bytes: t.bytes, Repetitions: t.reps, Min: t.min, Avg: t.avg, Max: t.max,
			})
		}
	}
	return results, nil
}
