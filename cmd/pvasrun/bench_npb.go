package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/gopvas/gopvas/bench"
	"github.com/gopvas/gopvas/bench/npb"
)

type npbFlags struct {
	NP    int      `short:"n" long:"np" env:"PVASRUN_NP" value-name:"N" default:"1" description:"number of ranks: a power of two; any for ep"`
	Class string   `long:"class" env:"PVASRUN_CLASS" choice:"S" choice:"W" choice:"A" choice:"B" choice:"C" default:"S" description:"problem size"`
	BTL   btlNames `long:"btl" env:"PVASRUN_BTL" value-name:"LIST" default:"pvas" description:"task models to measure"`
	tunableFlags
	Bind   string `long:"bind" env:"PVASRUN_BIND" choice:"none" choice:"core" default:"none" description:"pin rank i to CPU i"`
	Rounds int    `long:"rounds" env:"PVASRUN_ROUNDS" value-name:"N" default:"1" description:"runs of each contestant, in turn; the median counts"`
	JSON   bool   `long:"json" env:"PVASRUN_JSON" description:"print one JSON object per line"`
}

const npbDescription = `Runs NAS Parallel Benchmarks: is (integer sort), ep (embarrassingly parallel), cg (conjugate gradients), mg (multigrid), ft (3-D FFT), or several as in is,ft. They are written in Go by the specification; sizes, operation counts and verification values are those of NPB 3, and the output has the form that NPB's programs have. The exit code is 1 if a result is not verified.`

func executeNPB(args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") && args[0] != "-h" && args[0] != "--help" {
		return usageError{fmt.Errorf("bench npb: name a benchmark first: %s", strings.Join(npb.Kernels(), ", "))}
	}
	names, flags := strings.Split(args[0], ","), args[1:]
	if strings.HasPrefix(args[0], "-") {
		names, flags = nil, args
	}
	var f npbFlags
	if err := parseOnly("pvasrun bench npb NAME[,NAME]...", npbDescription, &f, flags); err != nil {
		return err
	}
	contenders, err := f.contenders()
	if err != nil {
		return err
	}
	cfg := bench.NPBConfig{Class: npb.Class(f.Class), Ranks: f.NP, Rounds: f.Rounds, Contenders: contenders}
	for _, name := range names {
		if err := npb.Check(name, cfg.Class, cfg.Ranks); err != nil {
			return usageError{err}
		}
	}
	return runNPB(context.Background(), cfg, names, f.JSON)
}

// contenders are ours, by BTL.
func (f *npbFlags) contenders() (list []bench.Contestant, err error) {
	if f.Rounds < 1 {
		return nil, usageError{errors.New("--rounds: at least one is needed")}
	}
	tunables, err := f.tunables()
	if err != nil {
		return nil, usageError{err}
	}
	for _, btl := range f.BTL {
		list = append(list, bench.Contestant{Name: btl, Pinned: f.Bind == "core", Tunables: tunables})
	}
	return list, nil
}

// runNPB runs the benchmarks one after the other and prints each when it is done.
func runNPB(ctx context.Context, cfg bench.NPBConfig, names []string, asJSON bool) error {
	progress := newProgress(len(names) * cfg.Rounds * len(cfg.Contenders))
	defer progress.done()
	var all [][]bench.NPBResult
	for _, name := range names {
		cfg.Benchmark = name
		cfg.Step = func(who string, round int) { progress.begin(fmt.Sprintf("%s, %s, round %d", name, who, round+1)) }
		results, err := bench.NPB(ctx, cfg)
		if err != nil {
			return err
		}
		all = append(all, results)
	}
	progress.done()
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
func printNPB(all [][]bench.NPBResult, asJSON bool) error {
	out := json.NewEncoder(os.Stdout)
	rows := 0
	for _, results := range all {
		for _, r := range results {
			var err error
			if rows++; asJSON {
				err = out.Encode(r)
			} else if _, err = r.WriteTo(os.Stdout); err == nil {
				_, err = fmt.Printf(" Task model      = %24s\n", r.BTL)
			}
			if err != nil {
				return err
			}
		}
	}
	if asJSON || rows < 2 {
		return nil
	}
	fmt.Println()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "benchmark\tclass\tranks\ttask model\tMop/s\tleast\tmost\tratio\t")
	for _, results := range all {
		for _, r := range results {
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%.1f\t%.1f\t%.1f\t%.2f\t\n", r.Benchmark, r.Class, r.Ranks, r.BTL,
				r.Mops, r.MinMops, r.MaxMops, results[0].Mops/r.Mops)
		}
	}
	fmt.Fprintln(w, "ratio: the first task model to this one")
	return w.Flush()
}
