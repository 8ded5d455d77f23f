package model

import (
	"context"
	"runtime"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/costs"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
)

// distancesOf says how far apart the CPUs of two ranks mostly are: once, for all fits. On one CPU there is no
// distance.
func (f *fitFlags) distancesOf(ctx context.Context, ranks runner.Contestant,
	limit time.Duration) (costs.Distances, error) {
	if d, known := f.placed[ranks.Name]; known || runtime.NumCPU() < 2 {
		return d, nil
	}
	d, err := costs.FindDistances(ctx, ranks, limit)
	if err != nil {
		return d, err
	}
	if f.placed == nil {
		f.placed = map[string]costs.Distances{}
	}
	f.placed[ranks.Name] = d
	return d, nil
}
