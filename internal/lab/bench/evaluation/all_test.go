package evaluation

import (
	"context"
	"errors"
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/bench"
	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/launcher"
)

// The test binary is the rank program and the space host of the jobs that it starts.
func TestMain(m *testing.M) {
	launcher.HostMain()
	if bench.RankMain(os.Args[1:]) {
		return
	}
	os.Exit(m.Run())
}

// Every experiment runs and measures what it says, in the least size.
func TestExperiments(t *testing.T) {
	cfg := Config{tiny: true, BTLs: []string{"sm"}} // the test binary has a fixed address
	list, err := cfg.Experiments(nil)
	require.NoError(t, err)
	require.Len(t, list, len(ExperimentNames()))
	for _, e := range list {
		line := e.Once(t.Context(), 1, time.Minute)
		require.Empty(t, line.Failed, e.Name)
		require.Equal(t, e.Name, line.Experiment)
		if e.Skip != "" {
			require.Equal(t, e.Skip, line.Skipped)
			continue
		}
		require.NotEmpty(t, line.Points, e.Name)
		for _, p := range line.Points {
			require.NotEmpty(t, p.Benchmark, e.Name)
			require.NotEmpty(t, p.Contestant, e.Name)
			require.NotEmpty(t, p.Values, e.Name)
			require.Positive(t, p.Ranks, e.Name)
		}
	}
}

func TestExperimentsByName(t *testing.T) {
	cfg := Config{Quick: true, BTLs: []string{"sm"}, Peers: []runner.Contestant{{Name: "openmpi"}, {Name: "mpich"}}}
	list, err := cfg.Experiments([]string{"startup", "pingpong"})
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "pvasrun bench all --quick --only pingpong --btl sm --compare mpich,openmpi", list[0].Command)
	_, err = cfg.Experiments([]string{"x"})
	require.ErrorContains(t, err, "there are pingpong")
}

// A round that goes wrong, or takes too long, is noted and no error.
func TestExperimentFails(t *testing.T) {
	e := Experiment{Name: "x", Command: "c", Run: func(context.Context, int) ([]results.Point, error) {
		return nil, errors.New("why")
	}}
	require.Equal(t, "why", e.Once(t.Context(), 1, time.Minute).Failed)
	e.Run = func(ctx context.Context, _ int) ([]results.Point, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	require.Contains(t, e.Once(t.Context(), 1, time.Millisecond).Failed, "more than 1ms")
	e.Run = func(context.Context, int) ([]results.Point, error) {
		return []results.Point{{Values: map[string]float64{"a": math.NaN(), "b": math.Inf(1), "c": 1}}}, nil
	}
	require.Equal(t, map[string]float64{"c": 1}, e.Once(t.Context(), 1, time.Minute).Points[0].Values)
	e.Skip = "because"
	require.Equal(t, results.Line{Experiment: "x", Command: "c", Round: 2, Skipped: "because"},
		e.Once(t.Context(), 2, time.Minute))
}
