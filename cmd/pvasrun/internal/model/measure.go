package model

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/settings"
	"github.com/gopvas/gopvas/internal/lab/bench/costs"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/replay"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/fit"
)

func (f *fitFlags) fromFile() (fitted, error) {
	file, err := os.Open(f.From)
	if err != nil {
		return fitted{}, err
	}
	defer file.Close()
	r := fitted{limit: -1}
	if r.samples, err = fit.ReadCSV(file, f.From); err != nil {
		return r, err
	}
	if r.Result, err = fit.Fit(r.samples); err == nil {
		r.Params.Residual = r.Residual(r.samples)
	}
	return r, err
}

// measure measures all combinations in turn, for about limit.
func (f *fitFlags) measure(ctx context.Context, limit time.Duration) (all []fitted, err error) {
	settings := settings.TunableFlags{EagerLimit: f.EagerLimit, RingBlock: 32 << 10}
	chosen, err := settings.Settings()
	if err != nil {
		return nil, cli.Mistake(fmt.Errorf("model fit: %w", err))
	}
	site, end, err := f.nodes(ctx)
	if err != nil {
		return nil, fmt.Errorf("model fit: %w", err)
	}
	defer end()
	combinations := len(f.combinations())
	progress := cli.NewProgress(combinations * f.Times)
	defer progress.Done()
	for _, btl := range f.BTL {
		ranks := runner.Contestant{Name: btl, Settings: chosen, Pinned: true}
		some, err := f.measureModel(ctx, ranks, site, limit/time.Duration(combinations), progress.Begin)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// measureModel measures what there is of a task model, each for about limit.
func (f *fitFlags) measureModel(ctx context.Context, ranks runner.Contestant, site *runner.Site, limit time.Duration,
	begin func(string)) (all []fitted, err error) {
	var network *fitted
	if site != nil {
		network, err = f.measureNetwork(ctx, ranks, site, limit, func() { begin(networkOf(ranks.Name)) })
		if err != nil {
			return nil, err
		}
	}
	placed, err := f.distancesOf(ctx, ranks, limit/8)
	if err != nil {
		return nil, fmt.Errorf("model fit: %w", err)
	}
	calls, whole, err := f.measureCalls(ctx, ranks, placed.Used, limit/4)
	if err != nil {
		return nil, fmt.Errorf("model fit: %s: %w", ranks, err)
	}
	for _, caches := range f.Caches {
		who := ranks.Name + "-" + caches
		got, err := f.roundTrips(ctx, ranks, placed.Used, caches == "cold", limit*3/4, func() { begin(who) })
		if err != nil {
			return nil, err
		}
		r, err := fitTrips(got)
		if err != nil {
			return nil, fmt.Errorf("model fit: %s: %w", who, err)
		}
		r.who, r.placed, r.calls, r.whole, r.network = who, placed, calls, whole, network
		r.eager = int64(f.EagerLimit)
		all = append(all, r)
	}
	if network != nil {
		all = append(all, *network)
	}
	return all, nil
}

// fewTimes is how often a job measures each size. What a message costs depends on where the memory of a
// job lies, by some percent. So there are several jobs.
const fewTimes = 5

// roundTrips measures round trips in several jobs. Where others take the CPUs, even the least that a job measures takes
// longer than its share: then the limit is over before all jobs have begun, and the rest is left out.
func (f *fitFlags) roundTrips(ctx context.Context, who runner.Contestant, distance float64, cold bool,
	limit time.Duration, sweep func()) (all *costs.RoundTrips, err error) {
	jobs := max(f.Times/fewTimes, 1)
	all = &costs.RoundTrips{}
	began := time.Now()
	for i := range jobs {
		if i > 0 && time.Since(began) > limit {
			break
		}
		got, err := costs.RoundTrip(ctx, who, costs.RoundTripConfig{
			Sizes: fit.Sizes(int64(f.Largest)), Times: (f.Times + i) / jobs, Cold: cold, Seed: uint64(i),
			Limit: limit / time.Duration(jobs), Distance: distance, Sweep: sweep,
		})
		if err != nil {
			return nil, err
		}
		all.Samples, all.EagerLimit = append(all.Samples, got.Samples...), got.EagerLimit
	}
	return all, nil
}

// measureCalls measures what a machine that is written has besides its links: what recording adds between
// calls, and collective calls as a whole.
func (f *fitFlags) measureCalls(ctx context.Context, who runner.Contestant, distance float64,
	limit time.Duration) (replay.Recording, []loggps.Operation, error) {
	if f.Output == "" {
		return nil, nil, nil
	}
	between, err := measureRecording(ctx, who)
	if err != nil || f.Ranks == 0 || f.Ranks > runtime.NumCPU() {
		return between, nil, err
	}
	whole, err := measureOperations(ctx, who, distance, f.Ranks, limit)
	return between, whole, err
}
