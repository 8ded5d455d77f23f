package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/docker/go-units"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/bench/memory"
	"github.com/gopvas/gopvas/internal/node/job"
)

type touchFlags struct {
	NP        cli.Counts   `short:"n" long:"np" most:"65536; a job has no more ranks" env:"NP_LIST" value-name:"LIST" default:"8,16,32,64" description:"numbers of ranks, a job of each"`
	Size      cli.Size     `long:"size" least:"1" env:"SIZE" value-name:"SIZE" default:"2MiB" description:"shared memory of each rank"`
	BTL       cli.BTLNames `long:"btl" env:"BTL" value-name:"LIST" default:"pvas,sm" description:"task models to compare"`
	HugePages string       `long:"huge-pages" env:"HUGE_PAGES" choice:"transparent" choice:"reserved" default-mask:"none" description:"huge pages in one address space"`
	JSON      bool         `long:"json" env:"JSON" description:"print one JSON object per line"`
}

func executeTouch(ctx context.Context, args []string) error {
	var f touchFlags
	if err := cli.ParseOnly("pvasrun bench touch", &f, args); err != nil {
		return err
	}
	models, err := f.BTL.Here()
	if err != nil {
		return fmt.Errorf("bench touch: %w", err)
	}
	cfg := memory.TouchConfig{Ranks: f.NP, Bytes: uint64(f.Size), BTLs: models, HugePages: job.HugePages(f.HugePages)}
	if err := cli.Fits("--size", cfg.Memory()); err != nil {
		return err
	}
	return runTouch(ctx, cfg, f.JSON)
}

func runTouch(ctx context.Context, cfg memory.TouchConfig, asJSON bool) error {
	progress := cli.NewProgress(len(cfg.Ranks) * len(cfg.BTLs))
	defer progress.Done()
	cfg.Step = func(btl string, ranks int) { progress.Begin(fmt.Sprintf("%s, %d ranks", btl, ranks)) }
	if asJSON {
		return memory.Touch(ctx, cfg, func(r memory.TouchResult) error {
			return cli.PrintJSON([]memory.TouchResult{r})
		})
	}
	var results []memory.TouchResult
	err := memory.Touch(ctx, cfg, func(r memory.TouchResult) error {
		results = append(results, r)
		return nil
	})
	progress.Done()
	if err != nil {
		return err
	}
	return printTouch(os.Stdout, cfg, results)
}

// printTouch prints a row per number of ranks, the task models side by side.
func printTouch(out io.Writer, cfg memory.TouchConfig, results []memory.TouchResult) error {
	fmt.Fprintf(out, "# touch: every rank reads all of every peer's %s; page tables and memory in KiB\n",
		units.BytesSize(float64(cfg.Bytes)))
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', tabwriter.AlignRight)
	head := "ranks\t"
	for _, btl := range cfg.BTLs {
		head += fmt.Sprintf("  %s tables\tgrowth\tmodel\tmachine\tmemory\tseconds\t", btl)
	}
	compare := len(cfg.BTLs) == 2
	if compare {
		head += fmt.Sprintf("  %s/%s tables\tgrowth\t", cfg.BTLs[1], cfg.BTLs[0])
	}
	fmt.Fprintln(w, head)
	for ; len(results) > 0; results = results[len(cfg.BTLs):] {
		row := results[:len(cfg.BTLs)]
		fmt.Fprintf(w, "%d\t", row[0].Ranks)
		for _, r := range row {
			fmt.Fprintf(w, "%d\t%d\t%d\t%s\t%s\t%.2f\t", r.PageTableKiB, r.PageTableGrowthKiB, r.ModelKiB,
				orNothing(r.MachineTableKiB), orNothing(r.MemoryGrowthKiB), r.Seconds)
		}
		if compare {
			fmt.Fprintf(w, "%s\t%s\t", ratio(row[1].PageTableKiB, row[0].PageTableKiB),
				ratio(row[1].PageTableGrowthKiB, row[0].PageTableGrowthKiB))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
