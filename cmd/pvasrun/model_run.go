package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/gopvas/gopvas/loggps/sim"
)

const modelRunDescription = `Simulates a program, and prints for each rank when it is done, in nanoseconds. The program is a job that pvasrun --trace has recorded, for which what was measured is printed too, or a GOAL file, which may be compressed with gzip. docs/model.md explains the model.

The exit code is 1 if the program cannot complete: a deadlock, an operation without a partner, a cycle; 2 for mistakes in the file or on the command line.`

func executeModelRun(args []string) error {
	var f struct {
		simFlags
		JSON bool `long:"json" env:"PVASRUN_JSON" description:"print one JSON object, with what each rank spends its time on"`
	}
	files, err := parseMixed("pvasrun model run", "[flags] FILE", modelRunDescription, &f, args)
	if err != nil {
		return err
	}
	opt, err := f.options()
	if err != nil {
		return usageError{fmt.Errorf("model run: %w", err)}
	}
	p, err := oneProgram("model run", files)
	if err != nil {
		return err
	}
	f.share(&opt, p)
	r, err := sim.Run(p.graph, opt)
	if err != nil {
		return modelMistake(err)
	}
	if f.JSON {
		return json.NewEncoder(os.Stdout).Encode(modelReport(f.Model, r, p.measured))
	}
	if p.measured != nil {
		return printTable(os.Stdout, p.measured.compare(r))
	}
	return printFinish(os.Stdout, r)
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

type modelResult struct {
	Model  string      `json:"model"`
	Time   float64     `json:"time_ns"`
	Events int         `json:"events"`
	Ranks  []modelRank `json:"ranks"`
}

func modelReport(model string, r *sim.Result, was *measured) modelResult {
	m := modelResult{Model: model, Time: r.Time(), Events: r.Events}
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
