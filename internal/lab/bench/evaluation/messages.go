package evaluation

import (
	"context"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/lab/bench/timed"
)

// pingpong is the latency of messages, from eager to rendezvous.
func (c *Config) pingpong() Experiment {
	return c.timed(timed.Config{
		Benchmark: "pingpong", Ranks: 2, Contenders: pinned(c.all()),
		Sizes: scaled(c, []int{8, 8 << 10}, []int{8, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20},
			[]int{8, 64, 256, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10,
				256 << 10, 1 << 20, 4 << 20}),
	}, 4)
}

// rate is how many small messages a pair exchanges.
func (c *Config) rate() Experiment {
	return c.timed(timed.Config{Benchmark: "mbw_mr", Ranks: 2, Contenders: pinned(c.all()),
		Sizes: scaled(c, []int{8}, []int{8}, []int{8, 64, 1 << 10})}, 2)
}

// bcast and allreduce are the latency of collectives over size at many ranks.
func (c *Config) bcast() Experiment     { return c.collective("bcast") }
func (c *Config) allreduce() Experiment { return c.collective("allreduce") }

func (c *Config) collective(name string) Experiment {
	return c.timed(timed.Config{
		Benchmark: name, Ranks: scaled(c, 3, 8, 64), Contenders: c.all(),
		Sizes: scaled(c, []int{8}, []int{8, 1 << 10, 16 << 10, 256 << 10},
			[]int{8, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20}),
	}, 4)
}

// timed is an experiment of Timed.
func (c *Config) timed(cfg timed.Config, weight int) Experiment {
	cfg.Rounds, cfg.Limit = 1, scaled(c, 20*time.Millisecond, 100*time.Millisecond, 2*time.Second)
	return Experiment{Rounds: scaled(c, 1, 4, 7), Weight: weight,
		Run: func(ctx context.Context, _ int) (points []results.Point, err error) {
			found, err := timed.Run(ctx, cfg)
			for i, who := range cfg.Contenders {
				for _, r := range found[i] {
					points = append(points, r.Point(who.String(), r.Avg))
				}
			}
			return points, err
		}}
}
