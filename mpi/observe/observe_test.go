package observe_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"syscall"
	"testing"
	"testing/slogtest"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/observe"
)

func TestMain(m *testing.M) {
	jobtest.Main(m, map[string]func() error{"observed": func() error {
		var early bytes.Buffer
		log := slog.New(observe.Log(slog.NewJSONHandler(&early, nil))).WithGroup("g").With("a", 1)
		log.Info("before")
		mpi.Run(func(world *mpi.Comm) error {
			log.Info("since")
			return errors.Join(records(&early, world.Rank()), profiled(world))
		})
		return nil
	}})
}

func TestRanks(t *testing.T) {
	jobtest.Run(t, job.Config{Ranks: 3, BTL: job.BTLSM, CPUs: 2}, "observed")
}

// records tells whether the first of two records has no rank, and the second has, outside of its group.
func records(text *bytes.Buffer, rank int) error {
	from := json.NewDecoder(text)
	for _, want := range []any{nil, float64(rank)} {
		var got map[string]any
		if err := from.Decode(&got); err != nil {
			return err
		}
		if got["rank"] != want || fmt.Sprint(got["g"]) != "map[a:1]" {
			return fmt.Errorf("a record %v instead of one of rank %v", got, want)
		}
	}
	return nil
}

// profiled tells whether the profile of a busy job has samples of each rank.
func profiled(world *mpi.Comm) error {
	var text bytes.Buffer
	stop, err := observe.CPU(world, &text)
	if err != nil {
		return err
	}
	if _, err := observe.CPU(world, &text); err == nil {
		return errors.New("a second profile at a time")
	}
	if err := errors.Join(spend(2e8), stop()); err != nil {
		return err
	}
	if stop() == nil {
		return errors.New("a profile has ended twice")
	}
	if world.Rank() != 0 {
		return nil
	}
	p, err := profile.Parse(&text)
	if err != nil {
		return err
	}
	ranks := map[string]bool{}
	for _, s := range p.Sample {
		for _, rank := range s.Label["rank"] {
			ranks[rank] = true
		}
	}
	if got := slices.Sorted(maps.Keys(ranks)); !slices.Equal(got, []string{"0", "1", "2"}) {
		return fmt.Errorf("samples of ranks %v", got)
	}
	return p.CheckValid()
}

// spend uses so many nanoseconds of CPU time, however much others have.
func spend(ns int64) error {
	var first, used syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &first)
	for err == nil && used.Utime.Nano() <= first.Utime.Nano()+ns {
		err = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	}
	return err
}

// The handler keeps the rules of handlers.
func TestLog(t *testing.T) {
	var text bytes.Buffer
	handler := observe.Log(slog.NewJSONHandler(&text, nil))
	require.NoError(t, slogtest.TestHandler(handler, func() (all []map[string]any) {
		for line := range bytes.Lines(text.Bytes()) {
			var record map[string]any
			require.NoError(t, json.Unmarshal(line, &record))
			all = append(all, record)
		}
		return all
	}))
}
