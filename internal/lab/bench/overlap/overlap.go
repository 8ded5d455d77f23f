package overlap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/launcher"
)

// EveryRank, as a number of helpers, means as many as there are ranks.
const EveryRank = -1

// A Contender is a contestant, and how its nonblocking collectives make
// progress, where it is ours. Between processes the
// policy "owner" with a helper in every rank is what LibNBC does: a thread per process.
type Contender struct {
	runner.Contestant
	Policy  string // as of pvasrun --progress; "": of a peer
	Helpers int    // threads of the job that only make progress
}

// String names the contender in tables.
func (c Contender) String() string {
	switch {
	case c.Policy == "":
		return c.Contestant.String()
	case c.Helpers == EveryRank:
		return c.Contestant.String() + " " + c.Policy + "+N"
	}
	return fmt.Sprintf("%s %s+%d", c.Contestant, c.Policy, c.Helpers)
}

// in returns the contender with the number of helpers that it has with n ranks.
func (c Contender) in(n int) Contender {
	if c.Helpers == EveryRank {
		c.Helpers = n
	}
	return c
}

// run is Contestant.Run that has progress made as it should be.
func (c Contender) run(ctx context.Context, n int, args []string) ([]byte, error) {
	if c.IsPeer() {
		return c.Contestant.Run(ctx, n, args)
	}
	return c.RunOurs(ctx, n, args, func(j *launcher.Job) {
		j.Settings.Progress, j.Settings.Helpers = c.Policy, c.in(n).Helpers
	})
}

// tests are those of all numbers of tests that are worth while: a contender whose
// helpers make progress calls none but that after each product.
func (c Contender) tests(all []int) []int {
	if c.Helpers == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(t int) bool { return t > 0 })
}

// Config describes a call of Run.
type Config struct {
	Ranks  []int
	Sizes  []int         // bytes of a message, at least 1
	Grains []int         // rows of the matrices
	Tests  []int         // calls of Test per message, or EachProduct
	Work   time.Duration // computing per message; 0: as long as the slowest contender's message takes alone
	Loop   time.Duration // that each of the loops should take
	Blocks int           // of loops in a job, each with one of each kind
	Rounds int           // each contender runs so often, in turn

	Contenders []Contender
	Step       func(contender string, round int) // told before each job; nil: nobody
}

// A Result is one contender with one message and one way to compute. Each
// number is a median over the blocks of all rounds, and an average over the ranks.
type Result struct {
	Contender Contender `json:"-"`

	Benchmark  string  `json:"benchmark"`  // "overlap"
	Contestant string  `json:"contestant"` // pvas, sm, or the name of the peer
	Policy     string  `json:"policy"`
	Helpers    int     `json:"helpers"`
	Ranks      int     `json:"ranks"`
	Bytes      int     `json:"bytes"`
	Grain      int     `json:"grain"`
	Tests      int     `json:"tests"`
	Elapsed    float64 `json:"elapsed_us"` // from a message to the next, or with EachProduct until it is there
	NonCompute float64 `json:"noncompute_share"`
	OSU        float64 `json:"overlap_osu"` // percent
	IMB        float64 `json:"overlap_imb"` // percent
	Pure       float64 `json:"pure_us"`     // a message with nothing else
	Compute    float64 `json:"compute_us"`  // the products of a message with nothing else
	Product    float64 `json:"product_ns"`

	Executed []Executed `json:"executed,omitempty"` // by rank, of all that the last job did
}

// Run is the experiment of the KACC paper ("Evaluation"): each rank multiplies
// matrices while a broadcast is underway. It returns results by number of ranks and
// contender. A contender that fails with a number of ranks has none there, and the error tells of it.
func Run(ctx context.Context, cfg Config) (all []Result, err error) {
	for _, ranks := range cfg.Ranks {
		results, failed := cfg.with(ctx, ranks)
		all, err = append(all, results...), errors.Join(err, failed)
		if ctx.Err() != nil {
			break
		}
	}
	return all, err
}

// with measures with so many ranks.
func (cfg Config) with(ctx context.Context, ranks int) ([]Result, error) {
	work, failed := cfg.work(ctx, ranks)
	if ctx.Err() != nil {
		return nil, failed
	}
	results, err := cfg.measure(ctx, ranks, work)
	return results, errors.Join(failed, err)
}

// work returns how much computing goes with a message, by size. Contenders that fail at it are left out from then on.
func (cfg *Config) work(ctx context.Context, ranks int) (work []time.Duration, err error) {
	work = make([]time.Duration, len(cfg.Sizes))
	items := make([]overlapItem, len(cfg.Sizes))
	for i, n := range cfg.Sizes {
		work[i] = cfg.Work
		items[i] = overlapItem{bytes: n, grain: cfg.Grains[0]}
	}
	if cfg.Work != 0 {
		return work, nil
	}
	alone, err := cfg.inTurn(ctx, ranks, 1, func(Contender) []overlapItem { return items })
	for _, jobs := range alone {
		for i, blocks := range jobs[0].samples {
			pure := slices.MinFunc(blocks, func(a, b overlapSample) int { return cmp.Compare(a.pure, b.pure) }).pure
			work[i] = max(work[i], time.Duration(pure*1e3))
		}
	}
	return work, err
}

// inTurn runs jobs of the contenders, and leaves out those that fail from then on.
func (cfg *Config) inTurn(ctx context.Context, ranks, rounds int, items func(Contender) []overlapItem) ([][]jobResult,
	error) {
	all, err := runner.InTurn(ctx, runner.NamesOf(cfg.Contenders, fmt.Sprintf(", %d ranks", ranks)), rounds, cfg.Step,
		func(i int) (jobResult, error) {
			return cfg.job(ctx, cfg.Contenders[i], ranks, items(cfg.Contenders[i]))
		})
	if err != nil {
		err = fmt.Errorf("bench: overlap: %w", err)
	}
	cfg.Contenders, all = runner.Standing(cfg.Contenders, all)
	return all, err
}

// measure runs the contenders in turn.
func (cfg *Config) measure(ctx context.Context, ranks int,
	work []time.Duration) (all []Result, err error) {
	rounds, err := cfg.inTurn(ctx, ranks, cfg.Rounds, func(c Contender) []overlapItem { return cfg.items(c, work) })
	for i, c := range cfg.Contenders {
		for k, item := range cfg.items(c, work) {
			var blocks []overlapSample
			for _, job := range rounds[i] {
				blocks = append(blocks, job.samples[k]...)
			}
			r := overlapResult(c, ranks, item, blocks)
			r.Executed = rounds[i][cfg.Rounds-1].executed
			all = append(all, r)
		}
	}
	return all, err
}

// items are what a contender's rank program measures.
func (cfg *Config) items(c Contender, work []time.Duration) (items []overlapItem) {
	for i, n := range cfg.Sizes {
		for _, grain := range cfg.Grains {
			for _, tests := range c.tests(cfg.Tests) {
				items = append(items, overlapItem{n, grain, tests, work[i]})
			}
		}
	}
	return items
}

// A jobResult is what a job has found.
type jobResult struct {
	samples  [][]overlapSample // by item and block
	executed []Executed        // by rank
}

// job runs one job.
func (cfg *Config) job(ctx context.Context, c Contender, ranks int, items []overlapItem) (r jobResult, err error) {
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = item.String()
	}
	out, err := c.run(ctx, ranks,
		[]string{"overlap", runner.Seconds(cfg.Loop), strconv.Itoa(cfg.Blocks), strings.Join(list, ",")})
	if err != nil {
		return r, err
	}
	r.samples, r.executed, err = parseOverlap(string(out), len(items), cfg.Blocks)
	if err != nil {
		return r, fmt.Errorf("unexpected output %.200q: %w", out, err)
	}
	return r, nil
}

// parseOverlap parses what a rank program prints: a line for each block of each item,
// then what was executed.
func parseOverlap(out string, items, blocks int) (samples [][]overlapSample, executed []Executed, err error) {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) < items*blocks {
		return nil, nil, fmt.Errorf("%d lines for %d blocks", len(lines), items*blocks)
	}
	samples = make([][]overlapSample, items)
	for i, line := range lines[:items*blocks] {
		s, err := parseOverlapSample(line)
		if err != nil {
			return nil, nil, err
		}
		samples[i/blocks] = append(samples[i/blocks], s)
	}
	executed, err = parseExecuted(lines[items*blocks:])
	return samples, executed, err
}

func overlapResult(c Contender, ranks int, item overlapItem, blocks []overlapSample) Result {
	middle := func(value func(overlapSample) float64) float64 { return medianOf(blocks, value) }
	return Result{
		Contender: c, Benchmark: "overlap", Contestant: c.Name, Policy: c.Policy, Helpers: c.in(ranks).Helpers,
		Ranks: ranks, Bytes: item.bytes, Grain: item.grain, Tests: item.tests,
		Elapsed:    middle(func(s overlapSample) float64 { return s.elapsed }),
		NonCompute: middle(overlapSample.noncompute),
		OSU:        middle(overlapSample.osu),
		IMB:        middle(overlapSample.imb),
		Pure:       middle(func(s overlapSample) float64 { return s.pure }),
		Compute:    middle(overlapSample.compute),
		Product:    middle(func(s overlapSample) float64 { return s.product }),
	}
}

// Memory is about how many bytes the buffers of the largest job take.
func (c *Config) Memory() float64 {
	return float64(slices.Max(c.Sizes)) * float64(slices.Max(c.Ranks))
}
