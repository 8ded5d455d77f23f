package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/bench/nas"
	"github.com/gopvas/gopvas/internal/bench/npb"
	"github.com/gopvas/gopvas/internal/bench/runner"
)

type npbFlags struct {
	NP        cli.Counts `short:"n" long:"np" most:"65536; a job has no more ranks" env:"NP_LIST" value-name:"LIST" default:"1" description:"numbers of ranks, a power of two each; any for ep"`
	Class     string     `long:"class" env:"CLASS" choice:"S" choice:"W" choice:"A" choice:"B" choice:"C" default:"S" description:"problem size"`
	Rounds    int        `long:"rounds" most:"1000; each round is a job of every contestant" env:"ROUNDS" value-name:"N" default:"1" description:"runs of each contestant, in turn; the median counts"`
	Reference string     `long:"reference" env:"REFERENCE" value-name:"DIR" description:"where the MPIs of --compare find NASA's own programs, such as is.A.x, built for them"`
	contestantFlags
}

func executeNPB(ctx context.Context, args []string) error {
	if cli.AsksForCommand(args) {
		return cli.Offer(npb.Kernels(), args)
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") && args[0] != "-h" && args[0] != "--help" {
		return cli.Mistake(fmt.Errorf("bench npb: name a benchmark first: %s", strings.Join(npb.Kernels(), ", ")))
	}
	names, flags := strings.Split(args[0], ","), args[1:]
	if strings.HasPrefix(args[0], "-") {
		names, flags = nil, args
	}
	var f npbFlags
	if err := cli.ParseOnly("pvasrun bench npb NAME[,NAME]...", &f, flags); err != nil {
		return err
	}
	contenders, err := f.all()
	if err != nil {
		return err
	}
	cfg := nas.Config{Class: npb.Class(f.Class), Ranks: f.NP, Rounds: f.Rounds, Contenders: contenders}
	for _, name := range names {
		for _, ranks := range cfg.Ranks {
			if err := npb.Check(name, cfg.Class, ranks); err != nil {
				return cli.Mistake(err)
			}
		}
	}
	return runNPB(ctx, cfg, names, f.JSON)
}

// all are the contestants: ours, by BTL, and NASA's programs with the MPIs of --compare.
func (f *npbFlags) all() ([]runner.Contestant, error) {
	switch {
	case f.Rounds < 1:
		return nil, cli.Mistake(errors.New("--rounds: at least one is needed"))
	case len(f.Compare) > 0 && f.Reference == "":
		return nil, cli.Mistake(errors.New("--compare: say with --reference where NASA's programs are"))
	}
	list, err := f.own([]string{""})
	if err != nil {
		return nil, cli.Mistake(err)
	}
	for _, name := range f.Compare {
		c, err := runner.Reference(name, f.Reference, f.Bind == "core")
		if err != nil {
			return nil, cli.Mistake(err)
		}
		list = append(list, c)
	}
	return list, nil
}

// runNPB runs the benchmarks one after the other and prints each when it is done.
func runNPB(ctx context.Context, cfg nas.Config, names []string, asJSON bool) error {
	progress := cli.NewProgress(len(names) * cfg.Rounds * len(cfg.Ranks) * len(cfg.Contenders))
	defer progress.Done()
	var all [][]nas.Result
	for _, name := range names {
		cfg.Benchmark = name
		cfg.Step = func(who string, round int) { progress.Begin(fmt.Sprintf("%s, %s, round %d", name, who, round+1)) }
		results, err := nas.Run(ctx, cfg)
		if err != nil {
			return err
		}
		all = append(all, results)
	}
	progress.Done()
	if err := printNPB(all, asJSON); err != nil {
		return err
	}
	for _, results := range all {
		for _, r := range results {
			if !r.Verified {
				return fmt.Errorf("bench npb: %s with %s is not verified", r.Benchmark, r.BTL)
			}
		}
	}
	return nil
}

// printNPB prints results in NPB's form, and at the end, where there is something to
// compare, a table of rates.
func printNPB(all [][]nas.Result, asJSON bool) error {
	results := slices.Concat(all...)
	if asJSON {
		return cli.PrintJSON(results)
	}
	for _, r := range results {
		if _, err := r.WriteTo(os.Stdout); err != nil {
			return err
		}
		fmt.Printf(" Task model      = %24s\n", r.BTL)
	}
	if len(results) < 2 {
		return nil
	}
	fmt.Println()
	w := cli.NewTable(os.Stdout)
	fmt.Fprintln(w, "benchmark\tclass\tranks\ttask model\tMop/s\tleast\tmost\tratio\tefficiency\t")
	for _, group := range all {
		for _, r := range group {
			first, efficiency := sameRanks(group, r.Ranks)[0], "-"
			if one, ok := oneRank(group, r.BTL); ok {
				efficiency = fmt.Sprintf("%.2f", r.Mops/one.Mops/float64(min(r.Ranks, runtime.NumCPU())))
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%.1f\t%.1f\t%.1f\t%.2f\t%s\t\n", r.Benchmark, r.Class, r.Ranks, r.BTL,
				r.Mops, r.MinMops, r.MaxMops, first.Mops/r.Mops, efficiency)
		}
	}
	fmt.Fprintln(w,
		"ratio: the first task model to this one; efficiency: to one rank, times the CPUs that the ranks have")
	return w.Flush()
}

// sameRanks are the results with so many ranks.
func sameRanks(group []nas.Result, ranks int) []nas.Result {
	return slices.DeleteFunc(slices.Clone(group), func(r nas.Result) bool { return r.Ranks != ranks })
}

// oneRank is the result of a task model with one rank, if it was asked for.
func oneRank(group []nas.Result, btl string) (r nas.Result, ok bool) {
	i := slices.IndexFunc(group, func(r nas.Result) bool { return r.BTL == btl && r.Ranks == 1 })
	if i < 0 {
		return r, false
	}
	return group[i], true
}
