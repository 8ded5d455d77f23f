package evaluation

import (
	"context"
	"slices"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/memory"
	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/node/job"
)

// footprint is what Alltoall makes page tables and memory grow by. A round is one length
// and one number of ranks: all are there when all rounds have been made.
func (c *Config) footprint() Experiment {
	sizes := scaled(c, []int{2 << 10}, []int{2 << 10, 16 << 10}, []int{2 << 10, 16 << 10})
	ranks := scaled(c, []int{2}, []int{8, 16, 32, 64}, []int{16, 32, 64, 128, 240})
	cfg := memory.FootprintConfig{
		Repetitions: scaled(c, 10, 200, 1000),
		Limit:       scaled(c, 20*time.Millisecond, 200*time.Millisecond, 10*time.Second), Contenders: c.all(),
	}
	return Experiment{Rounds: len(sizes) * len(ranks), Weight: scaled(c, 1, 6, 60),
		Run: func(ctx context.Context, round int) (points []results.Point, err error) {
			cfg.Sizes, cfg.Ranks = sizes[(round-1)%len(sizes):][:1], ranks[(round-1)/len(sizes):][:1]
			err = memory.Footprint(ctx, cfg, func(r memory.FootprintResult) error {
				points = append(points, r.Point(r.Contender.String()))
				return nil
			})
			return points, err
		}}
}

// hugePages is what transparent huge pages change in one address space.
func (c *Config) hugePages() Experiment {
	e := Experiment{Rounds: scaled(c, 1, 4, 5), Weight: scaled(c, 1, 2, 8)}
	model := job.BTLPvas.String()
	if !slices.Contains(c.BTLs, model) {
		e.Skip = "ranks cannot share one address space here"
	}
	e.Run = func(ctx context.Context, _ int) (points []results.Point, err error) {
		for _, pages := range []job.HugePages{"", job.TransparentPages} {
			cfg := memory.TouchConfig{Ranks: scaled(c, []int{2}, []int{8, 32}, []int{16, 64, 240}), Bytes: 2 << 20,
				BTLs: []string{model}, HugePages: pages}
			err := memory.Touch(ctx, cfg, func(r memory.TouchResult) error {
				p := r.Point()
				p.Setting = runner.Choose(pages != "", "huge pages", "normal pages")
				points = append(points, p)
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		return points, nil
	}
	return e
}

// startup is how long jobs take that do nothing, from the start of the first process to
// the end of the last.
func (c *Config) startup() Experiment {
	args := []string{"startup"}
	ranks := scaled(c, []int{1}, []int{1, 8, 32}, []int{1, 4, 16, 64, 128, 240})
	contenders := append(c.models(), c.Peers...)
	return Experiment{Rounds: scaled(c, 1, 4, 5), Weight: scaled(c, 1, 6, 30),
		Run: func(ctx context.Context, _ int) (points []results.Point, err error) {
			for _, who := range contenders {
				if err := who.Prepare(ctx, args[0]); err != nil {
					return nil, err
				}
			}
			for _, n := range ranks {
				for _, who := range contenders {
					start := time.Now()
					if _, err := who.Run(ctx, n, args); err != nil {
						return points, err
					}
					points = append(points, results.Point{
						Benchmark: args[0], Contestant: who.String(), Ranks: n,
						Values: map[string]float64{"t_s": time.Since(start).Seconds()},
					})
				}
			}
			return points, nil
		}}
}
