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
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/site"
	"github.com/gopvas/gopvas/internal/lab/bench/nas"
	"github.com/gopvas/gopvas/internal/lab/bench/npb"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
)

type npbFlags struct {
	NP        cli.Counts `short:"n" long:"np" most:"65536; a job has no more ranks" env:"NP_LIST" value-name:"LIST" default-mask:"1; on several nodes as many as they take" description:"numbers of ranks, a power of two each; any for ep"`
	Classes   classes    `long:"class" env:"CLASS" value-name:"LIST" default:"S" description:"problem sizes: S, W, A, B, C"`
	Rounds    int        `long:"rounds" most:"1000; each round is a job of every contestant" env:"ROUNDS" value-name:"N" default:"1" description:"runs of each contestant, in turn; the median counts"`
	Programs  string     `long:"programs" env:"PROGRAMS" value-name:"DIR" description:"where ours find NASA's own programs, built with mpicc and mpifort of install-mpi, to run in place of those in Go"`
	Copies    []string   `long:"single-copy" env:"SINGLE_COPY" env-delim:"," choice:"auto" choice:"none" choice:"cma" default-mask:"auto" description:"how sm and Open MPI copy long messages; repeatable, each is a contestant"`
	Threads   bool       `long:"threads" env:"THREADS" description:"also as many goroutines of one process as ranks, which share memory: cg, ep, is"`
	Reference string     `long:"reference" env:"REFERENCE" value-name:"DIR" description:"where the MPIs of --compare find NASA's own programs, such as is.A.x, built for them"`
	contestantFlags
	site.Flags
}

func executeNPB(ctx context.Context, args []string) error {
	if cli.AsksForCommand(args) {
		return cli.Offer(nas.Benchmarks(), args)
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") && args[0] != "-h" && args[0] != "--help" {
		return cli.Mistake(fmt.Errorf("bench npb: name a benchmark first: %s", strings.Join(nas.Benchmarks(), ", ")))
	}
	names, flags := strings.Split(args[0], ","), args[1:]
	if strings.HasPrefix(args[0], "-") {
		names, flags = nil, args
	}
	var f npbFlags
	if err := cli.ParseOnly("pvasrun bench npb NAME[,NAME]...", &f, flags); err != nil {
		return err
	}
	contenders, closeAll, err := f.all()
	if err != nil {
		return err
	}
	defer closeAll()
	if err := f.CheckUse(cli.BenchVariables); err != nil {
		return cli.Mistake(err)
	}
	if f.Threads && f.Several() {
		return cli.Mistake(errors.New("--threads: goroutines are on one node: leave out --nodes and --hosts"))
	}
	if len(f.NP) == 0 {
		n, err := f.Ranks(1)
		if err != nil {
			return cli.Mistake(err)
		}
		f.NP = cli.Counts{n}
	}
	list, err := f.experiments(names, contenders)
	if err != nil {
		return cli.Mistake(err)
	}
	where, end, err := f.Place(ctx, "bench npb", slices.Min(f.NP), slices.Max(f.NP))
	if err != nil {
		return err
	}
	defer end()
	for i := range contenders { // which the experiments share
		contenders[i].Site = where
	}
	return runNPB(ctx, list, f.JSON)
}

// experiments are the benchmarks by name and class. Mistakes are found before any of them runs.
func (f *npbFlags) experiments(names []string, contenders []runner.Contestant) (list []nas.Config, err error) {
	for _, name := range names {
		for _, class := range f.Classes {
			cfg := nas.Config{Benchmark: name, Class: class, Ranks: f.NP, Rounds: f.Rounds, Contenders: contenders}
			for _, ranks := range cfg.Ranks {
				if err := cfg.Check(ranks); err != nil {
					return nil, err
				}
			}
			list = append(list, cfg)
		}
	}
	return list, nil
}

// all are the contestants: ours, by BTL, and NASA's programs with the MPIs of --compare. closeAll removes what those
// have left.
func (f *npbFlags) all() (list []runner.Contestant, closeAll func(), err error) {
	switch {
	case f.Rounds < 1:
		err = errors.New("--rounds: at least one is needed")
	case len(f.Compare) == 0 && f.Reference != "" && os.Getenv(cli.BenchVariables+"_REFERENCE") == "":
		err = errors.New("--reference: say with --compare which MPIs run the programs there")
	case len(f.Compare) > 0 && f.Reference == "":
		err = errors.New("--compare: say with --reference where NASA's programs are")
	}
	if err != nil {
		return nil, nil, cli.Mistake(err)
	}
	modes := f.Copies
	if len(modes) == 0 {
		modes = []string{""}
	}
	if list, closeAll, err = f.contenders(modes, modes); err != nil {
		return nil, nil, err
	}
	for i, c := range list {
		list[i] = runner.WithPrograms(c, runner.Choose(c.IsPeer(), f.Reference, f.Programs))
	}
	if f.Threads {
		list = append(list, runner.Threads(list[0]))
	}
	return list, closeAll, nil
}

// runNPB runs the benchmarks one after the other and prints each when it is done.
func runNPB(ctx context.Context, list []nas.Config, asJSON bool) error {
	var all []nas.Result
	var failed error
	for _, cfg := range list {
		progress := cli.NewProgress(cfg.Rounds * len(cfg.Ranks) * len(cfg.Contenders))
		cfg.Step = func(who string, round int) {
			progress.Begin(fmt.Sprintf("%s, %s, round %d", nas.NameOf(cfg.Benchmark, cfg.Class), who, round+1))
		}
		results, err := nas.Run(ctx, cfg)
		progress.Done()
		failed, all = errors.Join(failed, err), append(all, results...)
		if ctx.Err() != nil {
			return failed
		}
		if err := printNPB(results, asJSON); err != nil {
			return err
		}
	}
	if len(all) > 1 && !asJSON {
		failed = errors.Join(failed, printRates(all))
	}
	for _, r := range all {
		if !r.Verified {
			failed = errors.Join(failed, fmt.Errorf("bench npb: %s with %s is not verified", r.Benchmark, r.Contender))
		}
	}
	return failed
}

// printNPB prints results in NPB's form.
func printNPB(results []nas.Result, asJSON bool) error {
	if asJSON {
		return cli.PrintJSON(results)
	}
	for _, r := range results {
		if _, err := r.WriteTo(os.Stdout); err != nil {
			return err
		}
		fmt.Printf(" Task model      = %24s\n", r.Contender)
	}
	return nil
}

// printRates prints a table of rates.
func printRates(all []nas.Result) error {
	fmt.Println()
	w := cli.NewTable(os.Stdout)
	fmt.Fprintln(w, "benchmark\tclass\tranks\ttask model\tMop/s\tleast\tmost\tratio\tefficiency\t")
	for _, r := range all {
		same := func(o nas.Result) bool { return o.Benchmark == r.Benchmark && o.Class == r.Class }
		first := all[slices.IndexFunc(all, func(o nas.Result) bool { return same(o) && o.Ranks == r.Ranks })]
		efficiency := "-"
		if one := slices.IndexFunc(all, func(o nas.Result) bool {
			return same(o) && o.Ranks == 1 && o.Contender.String() == r.Contender.String()
		}); one >= 0 {
			efficiency = fmt.Sprintf("%.2f", r.Mops/all[one].Mops/float64(min(r.Ranks, runtime.NumCPU())))
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%.1f\t%.1f\t%.1f\t%.2f\t%s\t\n", r.Benchmark, r.Class, r.Ranks, r.Contender,
			r.Mops, r.MinMops, r.MaxMops, first.Mops/r.Mops, efficiency)
	}
	fmt.Fprintln(w,
		"ratio: the first task model to this one; efficiency: to one rank, times the CPUs that the ranks have")
	return w.Flush()
}

// classes is a list of problem sizes such as S,A.
type classes []npb.Class

// UnmarshalFlag parses a flag's value.
func (v *classes) UnmarshalFlag(text string) error {
	list, ok := cli.Words(text, v.Items())
	if !ok {
		return fmt.Errorf("%q is not a list of classes: write some of S, W, A, B and C, such as S,A", text)
	}
	*v = nil
	for _, name := range list {
		*v = append(*v, npb.Class(name))
	}
	return nil
}

// Items are the classes.
func (classes) Items() []string { return []string{"S", "W", "A", "B", "C"} }
