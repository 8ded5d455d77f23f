package tune

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/bench/timed"
	"github.com/gopvas/gopvas/internal/lab/median"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Config says how to measure.
type Config struct {
	Machine Machine
	NoPvas  string   // why there is no address space for all ranks here; "": there is
	Only    []string // names of parameters; none: all
	Command string
	Version string            // of gopvas
	Now     time.Time         // for the profile
	Rounds  int               // of each comparison, each way in turn
	Limit   time.Duration     // of all, about
	Step    func(what string) // called before each job; nil: it is not
}

// startTime is about how long a job takes besides what it measures. With many ranks it is longer.
const startTime = 40 * time.Millisecond

// leastTime is what is measured of each way at each length, however short the limit.
const leastTime = 5 * time.Millisecond

// A task is a comparison at some lengths, by two jobs a round.
type task struct {
	*parameter
	load    load
	btl     job.BTL
	lengths []int
	first   int // index of the first length
	sets    [2]job.Settings
}

// Measure measures all parameters. It ends early with the cause of ctx.
func Measure(ctx context.Context, c Config) (*Profile, error) {
	p := &Profile{Format: format, Command: c.Command, Date: c.Now.UTC().Truncate(time.Second),
		Version: c.Version, Machine: c.Machine}
	tasks, start := c.tasks(), time.Now()
	for _, d := range parameters {
		if !c.wants(d) {
			continue
		}
		own := Parameter{Name: d.name, Model: d.model(), Unit: d.unit, Default: d.standard, Value: d.standard}
		if own.Reason = c.missing(d); own.Reason != "" {
			own.Verdict = NotMeasured
			p.Parameters = append(p.Parameters, own)
			continue
		}
		answers := make([][]faster, len(d.lengths))
		for ; len(tasks) > 0 && tasks[0].parameter == d; tasks = tasks[1:] {
			each := c.timePerLength(tasks, c.Limit-time.Since(start))
			if err := tasks[0].run(ctx, &c, each, &own, answers); err != nil {
				return nil, err
			}
		}
		found := make([]faster, len(answers))
		for i := range answers {
			found[i] = join(answers[i])
		}
		own.Value, own.Verdict = d.decide(d, found)
		p.Parameters = append(p.Parameters, own)
	}
	return p, nil
}

// Steps returns how many jobs Measure starts.
func (c *Config) Steps() int { return 2 * c.Rounds * len(c.tasks()) }

// timePerLength returns how long each way is to be measured at each length in a round, if so much
// time is left for the tasks.
func (c *Config) timePerLength(tasks []task, left time.Duration) time.Duration {
	lengths := 0
	for _, t := range tasks {
		lengths += len(t.lengths)
	}
	runs := max(2*c.Rounds*lengths, 1)
	left -= time.Duration(2*c.Rounds*len(tasks)) * startTime
	return max(left/time.Duration(runs)*8/10, leastTime) // a benchmark warms up besides
}

// wants tells whether a parameter is asked for.
func (c *Config) wants(d *parameter) bool { return len(c.Only) == 0 || slices.Contains(c.Only, d.name) }

// missing says why a parameter cannot be measured, "" if it can.
func (c *Config) missing(d *parameter) string {
	switch {
	case d.btl == job.BTLPvas && c.NoPvas != "":
		return c.NoPvas
	case d.needs != nil:
		return d.needs(c.Machine)
	}
	return ""
}

// tasks returns what is to be run.
func (c *Config) tasks() (all []task) {
	for _, d := range parameters {
		if !c.wants(d) || c.missing(d) != "" {
			continue
		}
		for _, btl := range []job.BTL{job.BTLPvas, job.BTLSM} {
			if d.btl != 0 && d.btl != btl || btl == job.BTLPvas && c.NoPvas != "" {
				continue
			}
			for _, l := range d.loads {
				all = append(all, d.split(btl, l)...)
			}
		}
	}
	return all
}

// split puts lengths into one task that have the same settings.
func (p *parameter) split(btl job.BTL, l load) (all []task) {
	for i, length := range p.lengths {
		var sets [2]job.Settings
		for k := range p.ways {
			p.ways[k].set(&sets[k], length)
		}
		if n := len(all); n > 0 && all[n-1].sets == sets {
			all[n-1].lengths = append(all[n-1].lengths, length)
			continue
		}
		all = append(all, task{p, l, btl, []int{length}, i, sets})
	}
	return all
}

// run runs the jobs of a task. It adds comparisons to own, and their answers to those of lengths.
func (t *task) run(ctx context.Context, c *Config, each time.Duration, own *Parameter, answers [][]faster) error {
	ranks := t.ranks(c.Machine.CPUs)
	cfg := timed.Config{Benchmark: t.load.benchmark, Ranks: ranks, Rounds: c.Rounds, Limit: each}
	for _, length := range t.lengths {
		cfg.Sizes = append(cfg.Sizes, t.load.bytes(length, ranks))
	}
	for _, s := range t.sets {
		cfg.Contenders = append(cfg.Contenders,
			runner.Contestant{Name: t.btl.String(), Settings: s, Pinned: ranks <= c.Machine.CPUs})
	}
	if c.Step != nil {
		cfg.Step = func(string, int) { c.Step(fmt.Sprintf("%s %s: %s", t.btl, t.name, t.load.benchmark)) }
	}
	results, err := timed.Run(ctx, cfg)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return fmt.Errorf("tune: %s: %w", t.name, err)
	}
	for i, length := range t.lengths {
		a, b := results[0][i].Rounds, results[1][i].Rounds
		compared := Comparison{
			Benchmark: t.load.benchmark, Model: t.btl.String(), Ranks: ranks, Bytes: cfg.Sizes[i], Length: length,
			Ways: [2]Way{summary(t.ways[0].name, a), summary(t.ways[1].name, b)},
		}
		f := compare(a, b)
		if f != notTold {
			compared.Faster = t.ways[f-first].name
		}
		answers[t.first+i] = append(answers[t.first+i], f)
		own.Compared = append(own.Compared, compared)
	}
	return nil
}

func summary(name string, rounds []float64) Way {
	return Way{Name: name, Min: slices.Min(rounds), Median: median.Of(rounds), Max: slices.Max(rounds)}
}
