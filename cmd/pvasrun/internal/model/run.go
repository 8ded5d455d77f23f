package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/median"
	"github.com/gopvas/gopvas/loggps/show"
	"github.com/gopvas/gopvas/loggps/sim"
)

func executeModelRun(args []string) error {
	var f struct {
		SimFlags
		JSON bool   `long:"json" env:"PVASRUN_JSON" description:"print one JSON object, with what each rank spends its time on"`
		Plot string `long:"plot" env:"PVASRUN_PLOT" value-name:"FILE.svg" description:"draw what the ranks of several jobs spend their time on"`
	}
	files, err := cli.ParseMixed("pvasrun model run", "[flags] FILE", &f, args)
	if err != nil {
		return err
	}
	if err := programsThere("model run", files); err != nil {
		return err
	}
	opt, err := f.Options()
	if err != nil {
		return cli.Mistake(fmt.Errorf("model run: %w", err))
	}
	if f.Plot != "" {
		if err := f.plottable(f.Plot, f.JSON, files); err != nil {
			return cli.Mistake(fmt.Errorf("model run: %w", err))
		}
	}
	if len(files) > 1 && !f.JSON || f.Plot != "" {
		return f.compareAll(opt, files, f.Plot)
	}
	p, err := oneProgram("model run", files, &opt.Machine)
	if err != nil {
		return err
	}
	if err := f.Prepare(&opt, p); err != nil {
		return err
	}
	r, err := Simulate(p, opt)
	if err != nil {
		return modelMistake(err)
	}
	if f.JSON {
		return json.NewEncoder(os.Stdout).Encode(modelReport(f.Model, r, p.measured))
	}
	if p.measured != nil {
		return printTable(os.Stdout, p.measured.compare(r, f.whatIf()))
	}
	return printFinish(os.Stdout, r)
}

// plottable reports a plot that would replace what is read, or that cannot be written.
func (f *SimFlags) plottable(plot string, asJSON bool, files []string) error {
	if asJSON {
		return errors.New("--json and --plot: give one of them")
	}
	inputs := []cli.Named{{By: "the parameters of --machine", File: f.Machine},
		{By: "the parameters of --param", File: f.Param}}
	for _, file := range files {
		inputs = append(inputs, cli.Named{By: "a program", File: file})
	}
	if err := cli.Apart([]cli.Named{{By: "--plot", File: plot}}, inputs...); err != nil {
		return err
	}
	if err := cli.Writable(plot, cli.Plot); err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	return nil
}

// compareAll prints a line for each of several recorded jobs, and the median and the worst of the errors of prediction.
// Then it prints what ranks spend their time on, and draws that if plot names a file.
func (f *SimFlags) compareAll(opt sim.Options, files []string, plot string) error {
	var spent []breakdown
	t := show.Table{Columns: []string{"job", "ranks", "measured", "predicted", difference(f.whatIf())}}
	var off []float64
	for _, file := range files {
		p, err := oneProgram("model run", []string{file}, &opt.Machine)
		if err != nil {
			return err
		}
		if p.measured == nil {
			return cli.Mistake(fmt.Errorf(
				"model run: %s is not recorded: only recorded jobs can be compared, so give a GOAL file alone, and "+
					"leave out --plot", file))
		}
		one := opt
		if err := f.Prepare(&one, p); err != nil {
			return err
		}
		r, err := Simulate(p, one)
		if err != nil {
			return modelMistake(fmt.Errorf("%s: %w", file, err))
		}
		spent = append(spent, breakdownOf(file, r))
		was, is := slices.Max(p.measured.took), r.Time()
		t.Rows = append(t.Rows,
			[]string{file, fmt.Sprint(p.Graph.Ranks()), show.Time(was), show.Time(is), deviation(was, is)})
		if was > 0 {
			off = append(off, 100*math.Abs(is/was-1))
		}
	}
	if err := printTable(os.Stdout, t); err != nil {
		return err
	}
	if len(off) > 0 {
		fmt.Printf("median %s %.1f %%, worst %.1f %%\n", difference(f.whatIf()), median.Of(off), slices.Max(off))
	}
	fmt.Println()
	if err := printTable(os.Stdout, breakdownTable(spent)); err != nil {
		return err
	}
	if err := cli.WriteNamed(plot, "", 0, func(w io.Writer) error { return plotBreakdowns(w, spent) }); err != nil {
		return fmt.Errorf("model run: %w", err)
	}
	return nil
}

func printFinish(w io.Writer, r *sim.Result) error {
	for rank, t := range r.Finish {
		if _, err := fmt.Fprintf(w, "%d %.15g\n", rank, t); err != nil {
			return err
		}
	}
	return nil
}

type modelRank struct {
	Rank     int                `json:"rank"`
	Finish   float64            `json:"finish_ns"`
	Measured float64            `json:"measured_ns,omitempty"` // of a trace
	Spent    map[string]float64 `json:"spent_ns"`
}

type Result struct {
	Model  string      `json:"model"`
	Time   float64     `json:"time_ns"`
	Events int         `json:"events"`
	Ranks  []modelRank `json:"ranks"`
}

func modelReport(model string, r *sim.Result, was *measured) Result {
	m := Result{Model: model, Time: r.Time(), Events: r.Events}
	for rank, t := range r.Finish {
		spent := map[string]float64{}
		for c := range sim.NumCauses {
			spent[c.String()] = r.Ranks[rank][c]
		}
		took := 0.0
		if was != nil {
			took = was.took[rank]
		}
		m.Ranks = append(m.Ranks, modelRank{rank, t, took, spent})
	}
	return m
}
