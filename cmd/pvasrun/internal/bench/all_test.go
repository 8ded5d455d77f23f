package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/evaluation"
	"github.com/gopvas/gopvas/internal/lab/bench/results"
)

// An interrupt in the middle of a round leaves those before it, and the next run begins
// with that round; a round that has failed is run again, too.
func TestRunAllGoesOn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.jsonl")
	ctx, cancel := context.WithCancelCause(t.Context())
	var ran []string
	interrupt, fail := true, true
	experiment := func(name string, rounds int) evaluation.Experiment {
		return evaluation.Experiment{Name: name, Command: name, Rounds: rounds,
			Run: func(_ context.Context, round int) ([]results.Point, error) {
				ran = append(ran, fmt.Sprint(name, round))
				switch {
				case name == "b" && round == 1 && fail:
					return nil, errors.New("broken")
				case name == "a" && round == 2 && interrupt:
					cancel(errors.New("interrupted"))
				}
				return []results.Point{{Benchmark: name, Values: map[string]float64{"t_us": 1}}}, nil
			}}
	}
	experiments := []evaluation.Experiment{experiment("a", 3), experiment("b", 2)}
	run := func(ctx context.Context) (failed int, err error) {
		j, err := results.Append(name, results.Environment{})
		require.NoError(t, err)
		defer func() { require.NoError(t, j.Close()) }()
		return runAll(ctx, experiments, j, time.Minute)
	}
	failed, err := run(ctx)
	require.ErrorContains(t, err, "interrupted: the same command goes on")
	require.Equal(t, 1, failed)
	require.Equal(t, []string{"a1", "b1", "a2"}, ran)

	ran, interrupt, fail = nil, false, false
	failed, err = run(t.Context())
	require.NoError(t, err)
	require.Zero(t, failed)
	require.Equal(t, []string{"b1", "a2", "b2", "a3"}, ran)
	ran = nil
	_, err = run(t.Context())
	require.NoError(t, err)
	require.Empty(t, ran)
}
