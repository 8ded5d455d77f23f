package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/goal"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
)

const modelRunDescription = `Simulates the program in a GOAL file, which may be compressed with gzip, and prints for each rank when it is done, in nanoseconds. docs/model.md explains the model.

The exit code is 1 if the program cannot complete: a deadlock, an operation without a partner, a cycle; 2 for mistakes in the file or on the command line.`

// executeModel carries out what the first argument names.
func executeModel(args []string) error {
	commands := map[string]func([]string) error{"run": executeModelRun, "fit": executeModelFit, "exchange": executeModelExchange}
	if asksForCommand(args) {
		return offer(slices.Sorted(maps.Keys(commands)), args)
	}
	if len(args) == 0 || commands[args[0]] == nil {
		return usageError{errors.New("model: say what to do: pvasrun model fit, pvasrun model run FILE.goal, or pvasrun model exchange")}
	}
	return commands[args[0]](args[1:])
}

func executeModelRun(args []string) error {
	var f struct {
		Model string `long:"model" env:"PVASRUN_MODEL" choice:"loggps" choice:"loggops" default:"loggps" description:"rules of the simulation: the model of protocol switches, or that of LogGOPSim"`
		Param string `long:"param" env:"PVASRUN_PARAM" value-name:"LIST|NAME|FILE" description:"parameters of the machine: a list such as L=2500,o=1500,G=6,S=65536 (ns, ns/byte, bytes; g, O, Oss, Ors, Osl, Orl, Gs, Gl, s too), a platform of the paper (myrinet, fast-ethernet, cenju-4), or a file"`
		JSON  bool   `long:"json" env:"PVASRUN_JSON" description:"print one JSON object, with what each rank spends its time on"`
	}
	files, err := parseMixed("pvasrun model run", "[flags] FILE.goal", modelRunDescription, &f, args)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return usageError{errors.New("model run: name one GOAL file")}
	}
	if f.Param == "" {
		return usageError{errors.New("model run: --param is missing: write for example --param myrinet, or L=2500,o=1500,G=6,S=65536")}
	}
	opt := sim.Options{}
	if opt.Machine, err = modelMachine(f.Param); err == nil {
		opt.Mode, err = sim.ParseMode(f.Model)
	}
	if err != nil {
		return usageError{fmt.Errorf("--param: %w", err)}
	}
	g, err := goal.ReadFile(files[0])
	if err != nil {
		return modelMistake(err)
	}
	r, err := sim.Run(g, opt)
	if err != nil {
		return modelMistake(err)
	}
	if f.JSON {
		return json.NewEncoder(os.Stdout).Encode(modelReport(f.Model, r))
	}
	return printFinish(os.Stdout, r)
}

// modelMistake tells a program that cannot complete from other mistakes.
func modelMistake(err error) error {
	_, stuck := errors.AsType[*sim.StuckError](err)
	if _, cycle := errors.AsType[*graph.CycleError](err); stuck || cycle {
		return err
	}
	fmt.Fprintln(os.Stderr, "pvasrun:", err)
	return exitStatus(codeUsage)
}

// modelMachine reads a list of parameters, the name of a platform, or a file.
func modelMachine(param string) (loggps.Machine, error) {
	switch {
	case strings.Contains(param, "="):
		p, err := loggps.ParseParams(param)
		return loggps.Single(p), err
	case slices.Contains(loggps.Presets(), param):
		l, err := loggps.Preset(param)
		return loggps.Machine{Links: []loggps.Link{l}}, err
	}
	f, err := os.Open(param)
	if err != nil {
		return loggps.Machine{}, err
	}
	defer f.Close()
	return loggps.Read(f)
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
	Rank   int                `json:"rank"`
	Finish float64            `json:"finish_ns"`
	Spent  map[string]float64 `json:"spent_ns"`
}

type modelResult struct {
	Model  string      `json:"model"`
	Time   float64     `json:"time_ns"`
	Events int         `json:"events"`
	Ranks  []modelRank `json:"ranks"`
}

func modelReport(model string, r *sim.Result) modelResult {
	m := modelResult{Model: model, Time: r.Time(), Events: r.Events}
	for rank, t := range r.Finish {
		spent := map[string]float64{}
		for c := range sim.NumCauses {
			spent[c.String()] = r.Ranks[rank][c]
		}
		m.Ranks = append(m.Ranks, modelRank{rank, t, spent})
	}
	return m
}
