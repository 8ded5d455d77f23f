package bench

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/bench/memory"
)

func executeMapping(ctx context.Context, args []string) error {
	var f struct {
		NP     cli.Counts   `short:"n" long:"np" most:"65536; a job has no more ranks" env:"NP_LIST" value-name:"LIST" default:"1,2,4,8" description:"numbers of ranks, jobs of each"`
		Size   cli.Size     `long:"size" env:"SIZE" value-name:"SIZE" default:"1MiB" description:"memory that each rank maps, touches and unmaps"`
		BTL    cli.BTLNames `long:"btl" env:"BTL" value-name:"LIST" default:"pvas,sm" description:"task models to compare"`
		Reps   int          `long:"reps" least:"1" most:"1000000000; that takes hours at any size" env:"REPS" value-name:"N" default:"200" description:"how often each of up to 16 ranks does so; those of a larger job do as much in all"`
		Rounds int          `long:"rounds" most:"1000; each round is a job of every contestant" env:"ROUNDS" value-name:"N" default:"3" description:"jobs of each task model, in turn; the median counts"`
		JSON   bool         `long:"json" env:"JSON" description:"print one JSON object per line"`
	}
	if err := cli.ParseOnly("pvasrun bench mapping", &f, args); err != nil {
		return err
	}
	if f.Size < 1 || f.Rounds < 1 {
		return cli.Mistake(errors.New("--size and --rounds: at least 1"))
	}
	models, err := f.BTL.Here()
	if err != nil {
		return fmt.Errorf("bench mapping: %w", err)
	}
	cfg := memory.MappingConfig{Ranks: f.NP, Bytes: int(f.Size), Repetitions: f.Reps, Rounds: f.Rounds, BTLs: models}
	if err := cli.Fits("--size", cfg.Memory()); err != nil {
		return err
	}
	progress := cli.NewProgress(len(cfg.Ranks) * cfg.Rounds * len(models))
	defer progress.Done()
	cfg.Step = func(btl string, round int) { progress.Begin(fmt.Sprintf("%s, round %d", btl, round+1)) }
	results, err := memory.Mapping(ctx, cfg)
	progress.Done()
	if f.JSON {
		return errors.Join(err, cli.PrintJSON(results))
	}
	return errors.Join(err, printMapping(results))
}

// printMapping prints a row for each job, and how many times as long each takes as that of the last task model.
func printMapping(results []memory.MappingResult) error {
	all := func(r memory.MappingResult) float64 { return r.Map + r.Touch + r.Unmap }
	last := map[int]float64{} // by number of ranks
	for _, r := range results {
		last[r.Ranks] = all(r)
	}
	w := cli.NewTable(os.Stdout)
	fmt.Fprintln(w, "ranks\ttask model\tmap us\ttouch us\tunmap us\tratio of all\t")
	for _, r := range results {
		fmt.Fprintf(w, "%d\t%s\t%.1f\t%.1f\t%.1f\t%.2f\t\n", r.Ranks, r.BTL, r.Map, r.Touch, r.Unmap,
			all(r)/last[r.Ranks])
	}
	return w.Flush()
}
