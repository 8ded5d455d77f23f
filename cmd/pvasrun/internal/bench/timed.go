package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/site"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/bench/timed"
	"github.com/gopvas/gopvas/internal/lab/bench/transport"
	"github.com/gopvas/gopvas/internal/lab/tune"
	"github.com/gopvas/gopvas/launcher/cluster"
)

// timedFlags are those of the benchmarks that time messages and collective operations.
type timedFlags struct {
	contestantFlags
	limitFlags
	site.Flags
	NP         int       `short:"n" long:"np" most:"65536; a job has no more ranks" env:"NP" value-name:"N" default-mask:"2; on several nodes as many as they take" description:"number of ranks"`
	Sizes      cli.Sizes `long:"sizes" env:"SIZES" value-name:"LIST" default-mask:"powers of two to 4 MiB, of eight (collectives) or four (layouts) to 1 MiB" description:"message sizes"`
	SingleCopy []string  `long:"single-copy" env:"SINGLE_COPY" env-delim:"," choice:"auto" choice:"none" choice:"cma" default:"auto" description:"how sm and Open MPI copy long messages; repeatable, each is a contestant"`
	Rounds     int       `long:"rounds" most:"1000; each round is a job of every contestant" env:"ROUNDS" value-name:"N" default-mask:"1; with --compare 3 for collectives, else 5" description:"runs of each contestant, in turn; the median counts"`
	Goroutines int       `long:"goroutines" most:"1024; each makes communicators of its own, which takes milliseconds" env:"GOROUTINES" value-name:"N" default:"1" description:"of each rank, for collectives: each calls on a communicator of its own, and the time is that of all calls of a rank, divided by their number"`
	Late       cli.Lapse `long:"late" env:"LATE" value-name:"DUR" description:"of collectives: in each call one rank, at random, computes so long before it; rank 0 is the root"`
	Profile    string    `long:"profile" env:"PROFILE" value-name:"FILE" description:"run ours also by the numbers that pvasrun tune has written to the file, in turn"`
	Reps       int       `long:"reps" least:"1" most:"1000000000; that takes hours at any size" env:"REPS" value-name:"N" default-mask:"by size" description:"repetitions per run and size"`
}

// A timedKind is one of the three kinds of benchmarks that are timed.
type timedKind struct {
	factor     int                                         // the default sizes are powers of it
	smallest   int                                         // but not smaller ones
	largest    int                                         // and this
	loop       bool                                        // the plain loop takes part
	collective bool                                        // several goroutines of a rank, and late ranks
	rounds     int                                         // default, with --compare
	check      func(benchmark string, f *timedFlags) error // what else the flags must be
}

var messageKind = timedKind{
	factor:  2,
	largest: 4 << 20,
	rounds:  5,
	check: func(benchmark string, f *timedFlags) error {
		if f.NP < 2 || benchmark == "copy" && f.NP != 2 {
			return fmt.Errorf("-n %d: %s needs two ranks", f.NP, benchmark)
		}
		if benchmark == "copy" && len(f.Compare) > 0 {
			return errors.New("--compare: a copy is the same in every MPI")
		}
		return nil
	},
}

var collectiveKind = timedKind{
	factor:     8,
	largest:    1 << 20,
	collective: true,
	rounds:     3,
	check: func(benchmark string, f *timedFlags) error {
		if f.NP < 1 {
			return errors.New("-n: at least one rank is needed")
		}
		if f.Goroutines < 1 {
			return errors.New("--goroutines: at least one is needed")
		}
		if f.Goroutines > 1 && len(f.Compare) > 0 {
			return errors.New("--compare: the programs in C have one thread; leave out --goroutines")
		}
		for _, n := range f.Sizes {
			if unit := timed.ElementSize(benchmark); n%unit != 0 {
				return fmt.Errorf("--sizes: %d: %s combines numbers of %d bytes: write multiples of it", n, benchmark,
					unit)
			}
		}
		return nil
	},
}

var layoutKind = timedKind{
	factor:   4,
	smallest: 256,
	largest:  1 << 20,
	loop:     true,
	rounds:   5,
	check: func(benchmark string, f *timedFlags) error {
		if f.NP < 2 {
			return fmt.Errorf("-n %d: %s needs two ranks", f.NP, benchmark)
		}
		if slices.Min(f.Sizes) < timed.LeastLayout || slices.Max(f.Sizes) > timed.MostLayout {
			return fmt.Errorf("--sizes: from %d bytes to %d MiB", timed.LeastLayout, timed.MostLayout>>20)
		}
		return nil
	},
}

// sizes are the default sizes.
func (k *timedKind) sizes() (list cli.Sizes) {
	if k.factor == 2 {
		list = cli.Sizes{0, 1}
	}
	for n := k.factor; n < k.largest; n *= k.factor {
		if n < k.smallest {
			continue
		}
		list = append(list, n)
	}
	return append(list, k.largest)
}

func executeTimed(ctx context.Context, benchmark string, kind timedKind, args []string) error {
	f := timedFlags{Sizes: kind.sizes(), Rounds: cli.NotGiven, NP: cli.NotGiven}
	if err := cli.ParseOnly("pvasrun bench "+benchmark, &f, args); err != nil {
		return err
	}
	site, err := f.place()
	if err == nil {
		err = f.check(benchmark, &kind, site)
	}
	if err != nil {
		return cli.Mistake(err)
	}
	cfg := timed.Config{
		Benchmark: benchmark, Ranks: f.NP, Goroutines: f.Goroutines, Sizes: f.Sizes, Repeat: f.Reps,
		Late: time.Duration(f.Late), Limit: time.Duration(f.MaxSeconds),
	}
	if !f.IsNamed() { // all ranks are on this machine
		if err := cli.Fits("--sizes", cfg.Memory()); err != nil {
			return err
		}
	}
	if site != nil && !f.IsNamed() {
		made, end, err := f.Make(ctx, f.NP, transport.Links{Pin: f.Bind == "core"})
		if err != nil {
			return fmt.Errorf("bench %s: %w", benchmark, err)
		}
		defer end()
		*site, f.Bind = made, "none" // the nodes are bound
	}
	contenders, closeAll, err := f.takingPart(&kind, site)
	if err != nil {
		return err
	}
	defer closeAll()
	cfg.Contenders, cfg.Rounds = contenders, f.rounds(&kind)
	progress := cli.NewProgress(cfg.Rounds * len(contenders))
	defer progress.Done()
	cfg.Step = func(who string, round int) { progress.Begin(fmt.Sprintf("%s, round %d", who, round+1)) }
	results, failed := timed.Run(ctx, cfg)
	progress.Done()
	contenders, results = runner.Standing(contenders, results)
	switch {
	case len(results) == 0:
		return failed
	case f.JSON:
		err = cli.PrintJSON(slices.Concat(results...))
	default:
		err = printTimed(benchmark, contenders, results)
	}
	return errors.Join(failed, err)
}

// check returns what is wrong with the flags for a benchmark.
func (f *timedFlags) check(benchmark string, kind *timedKind, site *runner.Site) error {
	partner, paired := timed.Partner(benchmark, f.NP)
	if site != nil && paired {
		if parts, err := cluster.Deal(site.Nodes.Hosts, f.NP); err == nil && parts[0] > partner {
			return fmt.Errorf("%s: ranks 0 and %d are on one node: choose other numbers of ranks", benchmark, partner)
		}
	}
	switch {
	case site != nil && !f.IsNamed() && slices.Contains(f.Compare, "mpich"):
		return errors.New("--compare mpich with --nodes: its UCX looks for the devices of the machine, not for those " +
			"of a namespace; name nodes by --hosts")
	case f.Goroutines != 1 && !kind.collective:
		return errors.New("--goroutines: for collective operations only")
	case f.Late != 0 && !kind.collective:
		return errors.New("--late: for collective operations only")
	case f.Rounds < 1 && f.Rounds != cli.NotGiven:
		return errors.New("--rounds: at least one is needed")
	case benchmark == "copy" && site != nil:
		return errors.New("copy: it is within a node; leave out --hosts, --hostfile and --nodes")
	}
	return kind.check(benchmark, f)
}

// takingPart are the contestants on a site; closeAll removes what was compiled for the MPIs.
func (f *timedFlags) takingPart(kind *timedKind,
	site *runner.Site) (list []runner.Contestant, closeAll func(), err error) {
	list, closeAll, err = f.contenders(f.SingleCopy, f.SingleCopy)
	if err != nil {
		return nil, nil, err
	}
	if list, err = f.withProfile(list); err != nil {
		closeAll()
		return nil, nil, err
	}
	for i := range list {
		list[i].Site = site
	}
	if i := slices.IndexFunc(list, runner.Contestant.IsPeer); kind.loop {
		if i < 0 {
			i = len(list)
		}
		list = slices.Insert(list, i, runner.Loop(list[0]))
	}
	return list, closeAll, nil
}

// place returns the nodes that the benchmark runs on, nil for this node alone. It also sets the number of
// ranks. Hosts of nodes that are to be made have no names yet.
func (f *timedFlags) place() (*runner.Site, error) {
	err := f.CheckUse(cli.BenchVariables)
	if err == nil && f.NP == cli.NotGiven {
		f.NP, err = f.Ranks(2)
	}
	switch {
	case err != nil:
		return nil, err
	case f.IsNamed():
		nodes, err := f.Named()
		if err != nil {
			return nil, err
		}
		return &runner.Site{Nodes: nodes}, nodes.Check(f.NP)
	case f.Nodes != 0:
		if err := f.CheckMade(f.NP); err != nil {
			return nil, err
		}
		return &runner.Site{Nodes: cluster.Nodes{Hosts: make([]cluster.Host, f.Nodes)}}, nil
	}
	return nil, nil
}

// rounds are those of --rounds, or the default.
func (f *timedFlags) rounds(kind *timedKind) int {
	switch {
	case f.Rounds != cli.NotGiven:
		return f.Rounds
	case len(f.Compare) > 0:
		return kind.rounds
	}
	return 1
}

// withProfile puts beside each contestant of ours one by the numbers of --profile.
func (f *timedFlags) withProfile(list []runner.Contestant) (all []runner.Contestant, err error) {
	if f.Profile == "" {
		return list, nil
	}
	p, err := tune.ReadFile(f.Profile)
	if err != nil {
		return nil, cli.Mistake(fmt.Errorf("--profile: %w", err))
	}
	for _, c := range list {
		all = append(all, c)
		for btl, tuned := range p.Settings() {
			if c.Name == btl.String() {
				c.Settings, c.Profile = tuned.Or(c.Settings), true
				all = append(all, c)
			}
		}
	}
	return all, nil
}

// printTimed prints a row per size, and for each contestant its time, or its rate, and
// what else is known.
func printTimed(benchmark string, contenders []runner.Contestant, results [][]timed.Result) error {
	rate := benchmark == "bw" || benchmark == "mbw_mr"
	unit := "us"
	if rate {
		unit = "MB/s and messages/s"
	}
	callers, nodes := "", ""
	if n := results[0][0].Goroutines; n > 1 {
		callers = fmt.Sprintf(" of %d goroutines", n)
	}
	if us := results[0][0].Late; us > 0 {
		callers += fmt.Sprintf(", one late by %.0f us", us)
	}
	if n := results[0][0].Nodes; n > 0 {
		nodes = fmt.Sprintf(" on %d nodes", n)
	}
	fmt.Printf("# %s, %d ranks%s%s, %s\n", benchmark, results[0][0].Ranks, callers, nodes, unit)
	w := cli.NewTable(os.Stdout)
	fmt.Fprint(w, "bytes\trepetitions\t")
	for i, c := range contenders {
		fmt.Fprintf(w, "%s (%s)\t", c, results[i][0].SingleCopy)
		if rate {
			fmt.Fprint(w, "messages/s\t")
		}
		if results[i][0].Algorithm != "" {
			fmt.Fprint(w, "algorithm\t")
		}
	}
	loop := slices.IndexFunc(contenders, runner.Contestant.IsLoop)
	if loop >= 0 {
		fmt.Fprint(w, "x loop\t")
	}
	fmt.Fprintln(w, "ratio\t")
	fewer := false
	for k, first := range results[0] {
		fmt.Fprintf(w, "%d\t%d\t", first.Bytes, first.Repetitions)
		for i := range contenders {
			r := results[i][k]
			fewer = fewer || r.Repetitions != first.Repetitions
			if rate {
				fmt.Fprintf(w, "%.1f\t%.0f\t", r.MBytesPerS, r.MessagesPerS)
			} else {
				fmt.Fprintf(w, "%.3f\t", r.Avg)
			}
			if results[i][0].Algorithm != "" {
				fmt.Fprintf(w, "%s\t", r.Algorithm)
			}
		}
		if loop >= 0 {
			fmt.Fprintf(w, "%s\t", cli.OrDash(first.Avg/results[loop][k].Avg))
		}
		fmt.Fprintf(w, "%s\t\n",
			cli.OrDash(first.Avg/bestPeer(contenders, func(i int) float64 { return results[i][k].Avg })))
	}
	if err := w.Flush(); err != nil || !fewer {
		return err
	}
	_, err := fmt.Println("Not all have made as many repetitions: see --max-seconds and --json.")
	return err
}
