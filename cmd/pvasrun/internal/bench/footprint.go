package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/docker/go-units"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/bench/memory"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/machine"
)

type footprintFlags struct {
	contestantFlags
	limitFlags
	NP         cli.Counts `short:"n" long:"np" most:"65536; a job has no more ranks" env:"NP_LIST" value-name:"LIST" default:"8,16,32,64" description:"numbers of ranks, jobs of each"`
	Sizes      cli.Sizes  `long:"sizes" env:"SIZES" value-name:"LIST" default-mask:"2KiB, which is eager, and 16KiB, a rendezvous" description:"what each rank sends to each other"`
	SingleCopy []string   `long:"single-copy" env:"SINGLE_COPY" env-delim:"," choice:"auto" choice:"none" choice:"cma" default-mask:"none, and cma where it is permitted" description:"how sm copies long messages; repeatable, each is a contestant"`
	Reps       int        `long:"reps" least:"1" most:"1000000000; that takes hours at any size" env:"REPS" value-name:"N" default:"1000" description:"calls in a job"`
}

func executeFootprint(ctx context.Context, args []string) error {
	f := footprintFlags{Sizes: cli.Sizes{2 << 10, 16 << 10}}
	if err := cli.ParseOnly("pvasrun bench footprint", &f, args); err != nil {
		return err
	}
	if slices.Min(f.Sizes) < 1 || f.Reps < 1 {
		return cli.Mistake(errors.New("--sizes and --reps: at least 1"))
	}
	if err := cli.Fits("--sizes", (&memory.FootprintConfig{Ranks: f.NP, Sizes: f.Sizes}).Memory()); err != nil {
		return err
	}
	if len(f.SingleCopy) == 0 {
		f.SingleCopy = copyModes()
	}
	contenders, closeAll, err := f.contenders(f.SingleCopy, []string{job.SingleCopyAuto.String()})
	if err != nil {
		return err
	}
	defer closeAll()
	progress := cli.NewProgress(len(f.NP) * len(f.Sizes) * len(contenders))
	defer progress.Done()
	var results []memory.FootprintResult
	failed := memory.Footprint(ctx, memory.FootprintConfig{
		Ranks: f.NP, Sizes: f.Sizes, Repetitions: f.Reps, Limit: time.Duration(f.MaxSeconds), Contenders: contenders,
		Step: func(who string, ranks, n int) {
			progress.Begin(fmt.Sprintf("%s, %d ranks, %s", who, ranks, units.BytesSize(float64(n))))
		},
	}, func(r memory.FootprintResult) error {
		if f.JSON {
			return cli.PrintJSON([]memory.FootprintResult{r})
		}
		results = append(results, r)
		return nil
	})
	progress.Done()
	if len(results) == 0 {
		return failed
	}
	return errors.Join(failed, f.print(results))
}

// copyModes are the ways of sm to copy that work here.
func copyModes() []string {
	modes := []string{job.SingleCopyNone.String()}
	if machine.CMA() == nil {
		modes = append(modes, job.SingleCopyCMA.String())
	}
	return modes
}

// print prints a table per size: a row per number of ranks and contestant, then what
// follows from the rows of each contestant.
func (f *footprintFlags) print(results []memory.FootprintResult) error {
	cut := false
	for _, n := range f.Sizes {
		fmt.Printf("# footprint: Alltoall of %s, up to %d times; page tables and memory in KiB\n",
			units.BytesSize(float64(n)), f.Reps)
		w := cli.NewTable(os.Stdout)
		fmt.Fprintln(w, "ranks\tcontestant\trepetitions\tus/call\ttables\tgrowth\tmodel\tmemory\tPSS\tidle rank\t")
		var rows []memory.FootprintResult
		for _, r := range results {
			if r.Bytes != n {
				continue
			}
			rows = append(rows, r)
			model := "-"
			if r.ModelKiB != nil {
				model = fmt.Sprint(*r.ModelKiB)
			}
			fmt.Fprintf(w, "%d\t%s\t%d\t%.1f\t%s\t%d\t%s\t%s\t%d\t%s\t\n", r.Ranks,
				r.Contender, r.Repetitions,
				r.Avg, orNothing(r.PageTableKiB), r.PageTableGrowthKiB, model,
				orNothing(r.MemoryGrowthKiB), r.PSSGrowthKiB, orNothing(r.IdlePSSKiB))
			cut = cut || r.Repetitions < f.Reps
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if err := f.summarise(rows); err != nil {
			return err
		}
	}
	if cut {
		fmt.Printf("Fewer repetitions than %d were made where they would have taken more than %v: see --max-seconds.\n",
			f.Reps, time.Duration(f.MaxSeconds))
	}
	return nil
}

// A footprintColumn is a number of a result that is fitted and compared.
type footprintColumn struct {
	name  string
	value func(memory.FootprintResult) float64
}

var footprintColumns = []footprintColumn{
	{"us/call", func(r memory.FootprintResult) float64 { return r.Avg }},
	{"tables", func(r memory.FootprintResult) float64 { return orNaN(r.PageTableKiB) }},
	{"growth", func(r memory.FootprintResult) float64 { return float64(r.PageTableGrowthKiB) }},
	{"memory", func(r memory.FootprintResult) float64 { return orNaN(r.MemoryGrowthKiB) }},
	{"PSS", func(r memory.FootprintResult) float64 { return float64(r.PSSGrowthKiB) }},
}

// summarise prints the exponents of each contestant, and the ratios of ours to the
// better peer at the last number of ranks.
func (f *footprintFlags) summarise(rows []memory.FootprintResult) error {
	w := cli.NewTable(os.Stdout)
	fmt.Fprint(w, "\tcontestant\t")
	for _, c := range footprintColumns {
		fmt.Fprintf(w, "%s\t", c.name)
	}
	fmt.Fprintln(w)
	of := map[string][]memory.FootprintResult{}
	var names []string
	for _, r := range rows {
		name := r.Contender.String()
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], r)
	}
	for _, name := range names {
		fmt.Fprintf(w, "exponent of N\t%s\t", name)
		for _, col := range footprintColumns {
			var x, y []float64
			for _, r := range of[name] {
				x, y = append(x, float64(r.Ranks)), append(y, col.value(r))
			}
			fmt.Fprintf(w, "%s\t", cli.OrDash(memory.PowerLaw(x, y)))
		}
		fmt.Fprintln(w)
	}
	last := slices.DeleteFunc(rows, func(r memory.FootprintResult) bool { return r.Ranks != rows[len(rows)-1].Ranks })
	printFootprintRatios(w, last)
	return w.Flush()
}

// printFootprintRatios prints what ours is to the better peer, if there is one.
func printFootprintRatios(w io.Writer, rows []memory.FootprintResult) {
	contenders := make([]runner.Contestant, len(rows))
	for i, r := range rows {
		contenders[i] = r.Contender
	}
	if !slices.ContainsFunc(contenders, runner.Contestant.IsPeer) {
		return
	}
	for _, r := range rows {
		if r.Contender.IsPeer() {
			continue
		}
		fmt.Fprintf(w, "ratio, %d ranks\t%s\t", r.Ranks, r.Contender)
		for _, col := range footprintColumns {
			fmt.Fprintf(w, "%s\t",
				cli.OrDash(col.value(r)/bestPeer(contenders, func(k int) float64 { return col.value(rows[k]) })))
		}
		fmt.Fprintln(w)
	}
}
