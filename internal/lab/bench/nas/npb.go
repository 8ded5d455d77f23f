package nas

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/lab/bench/npb"
	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/median"
)

// A Result is one contestant: the round whose rate is the median, and the rates of
// the slowest and the fastest.
type Result struct {
	Contender runner.Contestant `json:"-"`

	BTL        string `json:"btl"` // pvas, sm, threads, or the name of an MPI that ran NASA's program
	SingleCopy string `json:"single_copy"`
	EagerLimit int    `json:"eager_limit,omitempty"` // bytes; 0: not known, of an MPI
	NASA       bool   `json:"nasa,omitempty"`        // NASA's program
	npb.Result
	MinMops float64 `json:"min_mops"`
	MaxMops float64 `json:"max_mops"`
	Rounds  int     `json:"rounds"`
}

// Run runs the contestants in turn and returns a result for each number of ranks and
// contestant. The error is that of Check, or says that a program of NASA is missing, or tells of jobs that have
// failed, whose results are missing. That a result is not verified is no error.
func Run(ctx context.Context, cfg Config) ([]Result, error) {
	for _, ranks := range cfg.Ranks {
		if err := cfg.Check(ranks); err != nil {
			return nil, err
		}
	}
	for _, c := range cfg.Contenders {
		if err := cfg.hasReference(c); err != nil {
			return nil, err
		}
	}
	var names []string
	for _, ranks := range cfg.Ranks {
		names = append(names, runner.NamesOf(cfg.Contenders, fmt.Sprintf(", %d ranks", ranks))...)
	}
	rounds, err := runner.InTurn(ctx, names, max(cfg.Rounds, 1), cfg.Step, func(i int) (npb.Result, error) {
		return cfg.job(ctx, cfg.Contenders[i%len(cfg.Contenders)], cfg.Ranks[i/len(cfg.Contenders)])
	})
	if err != nil {
		err = fmt.Errorf("bench: %s: %w", cfg.Benchmark, err)
	}
	var results []Result
	for i, of := range rounds {
		if of == nil {
			continue
		}
		c, r := cfg.Contenders[i%len(cfg.Contenders)], medianNPB(of)
		r.Contender, r.BTL, r.SingleCopy, r.EagerLimit = c, c.Name, c.Path(), c.Settings.EagerLimit
		r.NASA = c.Built(cfg.program()) != ""
		results = append(results, r)
	}
	return results, err
}

// job runs one job.
func (cfg *Config) job(ctx context.Context, c runner.Contestant, ranks int) (r npb.Result, err error) {
	if c.Built(cfg.program()) != "" {
		return cfg.reference(ctx, c, ranks)
	}
	args := []string{"npb", cfg.Benchmark, string(cfg.Class)}
	if c.IsThreads() {
		args, ranks = []string{"npb-threads", args[1], args[2], strconv.Itoa(ranks)}, 1
	}
	out, err := c.Run(ctx, ranks, args)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return r, fmt.Errorf("unexpected output %.200q: %w", out, err)
	}
	return r, nil
}

// medianNPB is the round in the middle; it is verified if all are.
func medianNPB(rounds []npb.Result) Result {
	r := Result{Result: median.By(rounds, func(r npb.Result) float64 { return r.Mops }), Rounds: len(rounds)}
	r.MinMops, r.MaxMops = r.Mops, r.Mops
	for _, other := range rounds {
		r.MinMops, r.MaxMops = min(r.MinMops, other.Mops), max(r.MaxMops, other.Mops)
		if !other.Verified {
			r.Checks, r.Verified = other.Checks, false
		}
	}
	return r
}

func (r Result) Point(who string, mops float64) results.Point {
	return results.Point{
		Benchmark: NameOf(strings.ToLower(r.Benchmark), r.Class), Contestant: who, Ranks: r.Ranks,
		Values: map[string]float64{"mops": mops},
	}
}

func NameOf(kernel string, class npb.Class) string { return kernel + "." + string(class) }
