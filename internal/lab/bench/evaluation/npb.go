package evaluation

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gopvas/gopvas/internal/lab/bench/memory"
	"github.com/gopvas/gopvas/internal/lab/bench/nas"
	"github.com/gopvas/gopvas/internal/lab/bench/npb"
	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
)

// The names of the two ways of messages that the paper compares: with the default eager
// limit, and with a rendezvous for every message.
const (
	SettingEager      = "default eager limit"
	SettingRendezvous = "all rendezvous"
)

// eagerLimits are the eager limits of these settings.
var eagerLimits = []struct {
	setting string
	limit   int // bytes; 0: the default
}{{SettingEager, 0}, {SettingRendezvous, 1}}

// npb is the rate of the NAS Parallel Benchmarks. EP is left out: it sends nothing.
func (c *Config) npb() Experiment {
	class := scaled(c, npb.Class("S"), "W", "A")
	ranks := scaled(c, 2, 4, 4)
	kernels := scaled(c, []string{"is"}, []string{"is", "cg", "mg", "ft"}, []string{"is", "cg", "mg", "ft"})
	return Experiment{Rounds: scaled(c, 1, 4, 5), Weight: scaled(c, 1, 8, 40),
		Run: func(ctx context.Context, _ int) (points []results.Point, err error) {
			for _, kernel := range kernels {
				for _, way := range eagerLimits {
					contenders := c.own()
					for i := range contenders {
						contenders[i].Settings.EagerLimit = way.limit
					}
					found, err := nas.Run(ctx,
						nas.Config{Benchmark: kernel, Class: class, Ranks: []int{ranks}, Rounds: 1,
							Contenders: contenders})
					for _, r := range found {
						if !r.Verified {
							return nil, fmt.Errorf("bench: %s of %s is not verified", kernel, r.Contender)
						}
						p := r.Point(r.Contender.String(), r.Mops)
						p.Setting = way.setting
						points = append(points, p)
					}
					if err != nil {
						return points, err
					}
				}
			}
			return points, nil
		}}
}

// threads sets ranks against goroutines of one process, which share memory.
func (c *Config) threads() Experiment {
	cfg := nas.Config{Class: scaled(c, npb.Class("S"), "W", "A"), Ranks: scaled(c, []int{2}, []int{2, 4}, []int{2, 4}),
		Rounds: 1}
	return Experiment{Rounds: scaled(c, 1, 4, 5), Weight: scaled(c, 1, 4, 20),
		Run: func(ctx context.Context, _ int) (points []results.Point, err error) {
			cfg.Contenders = append(c.models(), runner.Threads(c.models()[0]))
			for _, cfg.Benchmark = range scaled(c, []string{"is"}, []string{"is", "cg"}, []string{"is", "cg"}) {
				found, err := nas.Run(ctx, cfg)
				for _, r := range found {
					if !r.Verified {
						return nil, fmt.Errorf("bench: %s of %s is not verified", cfg.Benchmark, r.BTL)
					}
					points = append(points, r.Point(r.BTL, r.Mops))
				}
				if err != nil {
					return points, err
				}
			}
			return points, nil
		}}
}

// isMemory is the paper's table of what IS takes of memory.
func (c *Config) isMemory() Experiment {
	class := scaled(c, npb.Class("S"), "W", "A")
	ranks := scaled(c, 2, 32, 128)
	return Experiment{Rounds: scaled(c, 1, 2, 3), Weight: scaled(c, 1, 5, 20),
		Run: func(ctx context.Context, _ int) (points []results.Point, err error) {
			for _, way := range eagerLimits {
				for _, who := range c.own() {
					who.Settings = job.Settings{EagerLimit: way.limit}
					values, err := measuredNPB(ctx, who, "is", class, ranks)
					if err != nil {
						return nil, fmt.Errorf("bench: memory of is: %s: %w", who, err)
					}
					points = append(points, results.Point{
						Benchmark: nas.NameOf("is", class), Contestant: who.String(), Setting: way.setting,
						Ranks: ranks, Values: values,
					})
				}
			}
			return points, nil
		}}
}

// measuredNPB runs a benchmark under a meter.Meter, and returns its rate and the memory and
// page tables that it has at its end: its own, and by the paper's method, which counts the
// whole machine and so what the job before gives back late.
func measuredNPB(ctx context.Context, c runner.Contestant, kernel string, class npb.Class,
	ranks int) (map[string]float64, error) {
	out, m, err := c.RunMetered(ctx, ranks, []string{"npb", kernel, string(class)}, func(*launcher.Job) {})
	if err != nil {
		return nil, err
	}
	var r npb.Result
	if err := json.Unmarshal(out, &r); err != nil {
		return nil, fmt.Errorf("unexpected output %.200q: %w", out, err)
	}
	if !r.Verified {
		return nil, fmt.Errorf("%s is not verified", kernel)
	}
	values := map[string]float64{"mops": r.Mops, "own_memory_kib": float64(m.PSSKiB),
		"own_tables_kib": float64(m.PageTableKiB)}
	results.AddKnown(values, "memory_kib", memory.Known(m.SystemMemory()))
	results.AddKnown(values, "tables_kib", memory.Known(m.SystemTables()))
	return values, nil
}
