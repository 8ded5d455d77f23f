package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/median"
)

// MappingConfig describes a run of Mapping.
type MappingConfig struct {
	Ranks       []int    // numbers of ranks, jobs of each for each BTL
	Bytes       int      // of each mapping
	Repetitions int      // of each rank in a job of up to fullRanks; ranks of a larger one do as much in all
	Rounds      int      // jobs of each BTL, in turn
	BTLs        []string // "pvas", "sm"
	Step        func(btl string, round int)
}

// fullRanks is the size of jobs from which on ranks repeat less: with 240 a job would take a minute on two CPUs.
const fullRanks = 16

// repetitions are those of each rank.
func (c *MappingConfig) repetitions(ranks int) int {
	return min(c.Repetitions, max(1, c.Repetitions*fullRanks/ranks))
}

// A MappingResult is what private memory costs ranks that map, touch and unmap it at the same time, in microseconds:
// the median of the rounds, of the means over ranks and repetitions.
type MappingResult struct {
	Benchmark string  `json:"benchmark"` // "mapping"
	BTL       string  `json:"btl"`
	Ranks     int     `json:"ranks"`
	Bytes     int     `json:"bytes"`
	Map       float64 `json:"map_us"`
	Touch     float64 `json:"touch_us"` // a write to each page
	Unmap     float64 `json:"unmap_us"`
}

// Mapping runs the experiment. In one address space the mappings of all ranks are in one table, which one lock guards.
// What one rank unmaps must leave the TLB of every CPU. Where a job fails its task model has no result for that number
// of ranks, and the error tells of it.
func Mapping(ctx context.Context, cfg MappingConfig) (all []MappingResult, err error) {
	for _, ranks := range cfg.Ranks {
		rounds, failed := runner.InTurn(ctx, cfg.BTLs, cfg.Rounds, cfg.Step, func(i int) (MappingResult, error) {
			return mappingOnce(ctx, cfg, cfg.BTLs[i], ranks)
		})
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("bench: mapping by %d ranks: %w", ranks, failed))
		}
		if _, rounds = runner.Standing(cfg.BTLs, rounds); ctx.Err() != nil {
			return nil, err
		}
		for _, same := range rounds {
			r := same[0]
			of := func(time func(MappingResult) float64) float64 { return time(median.By(same, time)) }
			r.Map = of(func(r MappingResult) float64 { return r.Map })
			r.Touch = of(func(r MappingResult) float64 { return r.Touch })
			r.Unmap = of(func(r MappingResult) float64 { return r.Unmap })
			all = append(all, r)
		}
	}
	return all, err
}

func mappingOnce(ctx context.Context, cfg MappingConfig, btl string, ranks int) (MappingResult, error) {
	r := MappingResult{Benchmark: "mapping", BTL: btl, Ranks: ranks, Bytes: cfg.Bytes}
	out, err := runner.Contestant{Name: btl}.Run(ctx, ranks,
		[]string{"mapping", strconv.Itoa(cfg.Bytes), strconv.Itoa(cfg.repetitions(ranks))})
	if err != nil {
		return r, err
	}
	if _, err := fmt.Sscan(string(out), &r.Map, &r.Touch, &r.Unmap); err != nil {
		return r, fmt.Errorf("unexpected output %.200q: %w", out, err)
	}
	return r, nil
}

// Memory is about how many bytes the mappings of the largest job take.
func (c *MappingConfig) Memory() float64 {
	return float64(c.Bytes) * float64(slices.Max(c.Ranks))
}
