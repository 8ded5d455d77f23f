package overlap

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/median"
)

// ChainConfig describes a run of Chain.
type ChainConfig struct {
	Ranks, Bytes int
	Period       time.Duration // that an inner rank computes, by the clock, before it tests
	Repetitions  int           // in a job
	Rounds       int           // jobs of each contender, in turn
	Contenders   []Contender
	Step         func(contender string, round int) // told before each job; nil: nobody
}

// A ChainResult is one contender in Chain.
type ChainResult struct {
	Contender Contender `json:"-"`

	Benchmark  string  `json:"benchmark"` // "chain"
	Contestant string  `json:"contestant"`
	Policy     string  `json:"policy"`
	Helpers    int     `json:"helpers"`
	Ranks      int     `json:"ranks"`
	Bytes      int     `json:"bytes"`
	Period     float64 `json:"period_ms"`
	Elapsed    float64 `json:"elapsed_us"` // median over all repetitions
	Min        float64 `json:"t_min_us"`
	Max        float64 `json:"t_max_us"`
	Periods    float64 `json:"periods"` // what Elapsed is of them
}

// Chain passes data down a chain of ranks, from the first to the last, while those
// between them compute and look after communication rarely: by one Test after each
// period. It measures the time from the first rank's call until the last has the data. A contender that fails has no
// result, and the error tells of it.
func Chain(ctx context.Context, cfg ChainConfig) (results []ChainResult, err error) {
	ms := float64(cfg.Period.Microseconds()) / 1e3
	args := []string{"overlap_chain", strconv.Itoa(cfg.Bytes), strconv.FormatFloat(ms, 'f', -1, 64),
		strconv.Itoa(cfg.Repetitions)}
	rounds, err := runner.InTurn(ctx, runner.NamesOf(cfg.Contenders, ", chain"), cfg.Rounds, cfg.Step,
		func(i int) (took []float64, err error) {
			out, err := cfg.Contenders[i].run(ctx, cfg.Ranks, args)
			if err != nil {
				return nil, err
			}
			for line := range strings.Lines(string(out)) {
				us, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
				if err != nil {
					return nil, fmt.Errorf("unexpected output %.200q: %w", out, err)
				}
				took = append(took, us)
			}
			return took, nil
		})
	if err != nil {
		err = fmt.Errorf("bench: chain: %w", err)
	}
	contenders, rounds := runner.Standing(cfg.Contenders, rounds)
	for i, c := range contenders {
		results = append(results, cfg.result(c, slices.Concat(rounds[i]...), ms))
	}
	return results, err
}

func (cfg *ChainConfig) result(c Contender, took []float64, ms float64) ChainResult {
	r := ChainResult{
		Contender: c, Benchmark: "chain", Contestant: c.Name, Policy: c.Policy, Helpers: c.in(cfg.Ranks).Helpers,
		Ranks: cfg.Ranks, Bytes: cfg.Bytes, Period: ms,
		Elapsed: median.Of(took), Min: took[0],
	}
	for _, us := range took {
		r.Min, r.Max = min(r.Min, us), max(r.Max, us)
	}
	r.Periods = r.Elapsed / 1e3 / ms
	return r
}
