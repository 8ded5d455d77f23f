package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/bench/overlap"
	"github.com/gopvas/gopvas/internal/node/job"
)

// What the parts that have no flags measure, as issued in the project's goals.
const (
	chainRanks  = 8
	chainBytes  = 1 << 20
	chainPeriod = 10 * time.Millisecond
	chainReps   = 5
	graphNodes  = 1000
	graphReps   = 200
)

func executeOverlap(ctx context.Context, args []string) error {
	var f overlapFlags
	if err := cli.ParseOnly("pvasrun bench overlap", &f, args); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return cli.Mistake(err)
	}
	site, end, err := f.place(ctx)
	if err != nil {
		return err
	}
	defer end()
	if err := cli.Fits("--sizes", (&overlap.Config{Ranks: f.NP, Sizes: f.Sizes}).Memory()); err != nil {
		return err
	}
	auto := []string{job.SingleCopyAuto.String()}
	base, closeAll, err := f.contenders(auto, auto)
	if err != nil {
		return err
	}
	defer closeAll()
	for i := range base {
		base[i].Site = site
	}
	return f.run(ctx, f.progressing(base))
}

// run measures what is wanted.
func (f *overlapFlags) run(ctx context.Context, contenders []overlap.Contender) (failed error) {
	if len(contenders) == 0 {
		return cli.Mistake(errors.New("--btl and --compare leave nobody to measure"))
	}
	progress := cli.NewProgress(f.steps(contenders))
	defer progress.Done()
	step := func(who string, round int) { progress.Begin(fmt.Sprintf("%s, round %d", who, round+1)) }
	r := overlapReport{flags: f}
	var err error
	if f.wants("broadcast") {
		var work cli.Lapse // 0: see Config.Work
		if f.Work != nil {
			work = *f.Work
		}
		r.broadcasts, failed = overlap.Run(ctx, overlap.Config{
			Ranks: f.NP, Sizes: f.Sizes, Grains: f.Grains, Tests: f.Tests, Work: time.Duration(work),
			Loop: time.Duration(f.Loop), Blocks: f.Blocks, Rounds: f.Rounds, Contenders: contenders, Step: step,
		})
	}
	if ctx.Err() == nil && f.wants("chain") {
		r.chains, err = overlap.Chain(ctx, overlap.ChainConfig{
			Ranks: chainRanks, Bytes: chainBytes, Period: chainPeriod, Repetitions: chainReps, Rounds: f.Rounds,
			Contenders: contenders, Step: step,
		})
		failed = errors.Join(failed, err)
	}
	if ctx.Err() == nil && f.wants("graph") {
		r.graphs, err = overlap.Graphs(ctx, overlap.GraphConfig{
			Nodes: graphNodes, Repetitions: graphReps, Rounds: f.Rounds, Contenders: contenders, Step: step,
		})
		failed = errors.Join(failed, err)
	}
	progress.Done()
	if ctx.Err() != nil {
		return failed
	}
	return errors.Join(failed, r.write())
}

// steps is how many jobs there will be.
func (f *overlapFlags) steps(contenders []overlap.Contender) (n int) {
	rounds := f.Rounds * len(contenders)
	if f.wants("broadcast") {
		n += len(f.NP) * rounds
		if f.Work == nil {
			n += len(f.NP) * len(contenders)
		}
	}
	if f.wants("chain") {
		n += rounds
	}
	if f.wants("graph") {
		n += overlap.GraphJobs(contenders, f.Rounds)
	}
	return n
}
