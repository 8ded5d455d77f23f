package evaluation

import (
	"context"
	"errors"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/overlap"
	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/node/job"
)

// overlap is computing while a broadcast is underway, and data that goes down a chain of
// ranks that compute.
func (c *Config) overlap() Experiment {
	broadcast := overlap.Config{
		Ranks: []int{2}, Rounds: 1, Contenders: c.progressing(),
		Loop:   scaled(c, time.Millisecond, 2*time.Millisecond, 5*time.Millisecond),
		Blocks: scaled(c, 1, 5, 15),
		Sizes:  scaled(c, []int{1 << 10}, []int{64 << 10, 1 << 20}, []int{64 << 10, 1 << 20}),
		Grains: scaled(c, []int{4}, []int{4}, []int{4, 40}),
		Tests: scaled(c, []int{0, overlap.EachProduct}, []int{0, 10, overlap.EachProduct},
			[]int{0, 1, 10, 100, overlap.EachProduct}),
	}
	chain := overlap.ChainConfig{
		Ranks: scaled(c, 3, 8, 8), Bytes: 1 << 20, Period: 10 * time.Millisecond, Repetitions: scaled(c, 1, 2, 5),
		Rounds: 1, Contenders: broadcast.Contenders,
	}
	return Experiment{Rounds: scaled(c, 1, 4, 5), Weight: scaled(c, 1, 8, 40),
		Run: func(ctx context.Context, _ int) (points []results.Point, err error) {
			broadcasts, err := overlap.Run(ctx, broadcast)
			for _, r := range broadcasts {
				points = append(points, r.Point(r.Contender.String()))
			}
			chains, failed := overlap.Chain(ctx, chain)
			for _, r := range chains {
				points = append(points, r.Point(r.Contender.String()))
			}
			return points, errors.Join(err, failed)
		}}
}

// progressing are the contestants with the ways to make progress that tell them apart:
// one rank for all, each for itself, a thread per rank, and the MPIs with Test.
func (c *Config) progressing() (list []overlap.Contender) {
	for _, who := range c.models() {
		if who.Name == job.BTLPvas.String() {
			list = append(list, overlap.Contender{Contestant: who, Policy: "share"},
				overlap.Contender{Contestant: who, Policy: "share", Helpers: 1},
				overlap.Contender{Contestant: who, Policy: "owner"})
		}
		list = append(list, overlap.Contender{Contestant: who, Policy: "owner", Helpers: overlap.EveryRank})
	}
	for _, who := range c.Peers {
		list = append(list, overlap.Contender{Contestant: who})
	}
	return list
}
