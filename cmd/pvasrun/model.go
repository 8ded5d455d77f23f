package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/gopvas/gopvas/internal/trace/replay"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/goal"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
)

// regular returns an error if there is no such file, or if it is a directory.
func regular(file string) error {
	info, err := os.Stat(file)
	if err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory", file)
	}
	return err
}

// A program is what a file has, to be simulated.
type program struct {
	file     string
	graph    *graph.Graph
	names    []string  // of places, by number; nil: lines of the file
	cpus     int       // that the ranks of a node had; 0: not known
	measured *measured // nil: not known
}

// place names the place of an operation in the program.
func (p *program) place(id graph.ID) string {
	site := p.graph.Op(id).Site
	switch {
	case site > 0 && int(site) < len(p.names):
		return p.names[site]
	case p.names != nil:
		return p.graph.Op(id).Kind.String() + " outside of calls"
	}
	return p.graph.Place(id)
}

// sites are the names of places by number, for a page: those that operations have.
func (p *program) sites() []string {
	names := slices.Clone(p.names)
	for id := range graph.ID(p.graph.Len()) {
		site := int(p.graph.Op(id).Site)
		for len(names) <= site {
			names = append(names, "")
		}
		if site > 0 && names[site] == "" {
			names[site] = p.place(id)
		}
	}
	return names
}

// programsThere returns an error if a command names no file, or one that is not there.
func programsThere(command string, files []string) error {
	if len(files) == 0 {
		return mistake(fmt.Errorf("%s: name a trace or GOAL file", command))
	}
	for _, file := range files {
		if err := regular(file); err != nil {
			return modelMistake(
				fmt.Errorf("model: read program: %w: name a trace of pvasrun --trace FILE, or a GOAL file", err))
		}
	}
	return nil
}

// readProgram reads a trace or a GOAL file, for a machine.
func readProgram(file string, on *loggps.Machine) (*program, error) {
	recorded, err := isTrace(file)
	if err != nil {
		return nil, err
	}
	if !recorded {
		g, err := goal.ReadFile(file)
		if errors.Is(err, goal.ErrNoGoal) {
			err = fmt.Errorf("%w; nor is it a trace of pvasrun --trace FILE", err)
		}
		return &program{file: file, graph: g}, err
	}
	t, err := openNamed(file)
	if err != nil {
		return nil, err
	}
	r, err := replay.New(t, replay.Options{Recording: on.Recording, Operations: on.Operations})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if ranks := t.Unended(); ranks != nil {
		fmt.Fprintf(os.Stderr, "pvasrun: %s: %s; what is predicted is the part before that\n", file,
			unended(ranks, len(t.Ranks)))
	}
	if ranks := r.Overlapping; ranks != nil {
		fmt.Fprintf(os.Stderr,
			"pvasrun: %s: calls of several goroutines overlap in %d of %d ranks, such as rank %d: what these compute "+
				"meanwhile is a guess, and no deadlock for want of buffers is found\n", file, len(ranks),
			len(t.Ranks), ranks[0])
	}
	return &program{file: file, graph: r.Graph, names: r.Sites, cpus: t.Meta.CPUs, measured: measuredTimeline(t)}, nil
}

// oneProgram reads the one file that a command names.
func oneProgram(command string, files []string, on *loggps.Machine) (*program, error) {
	if len(files) != 1 {
		return nil, mistake(fmt.Errorf("%s: name one trace or GOAL file", command))
	}
	p, err := readProgram(files[0], on)
	if err != nil {
		return nil, modelMistake(err)
	}
	return p, nil
}

// modelMistake tells a program that cannot complete from other mistakes.
func modelMistake(err error) error {
	_, stuck := errors.AsType[*sim.StuckError](err)
	if _, cycle := errors.AsType[*graph.CycleError](err); stuck || cycle {
		return err
	}
	return inputMistake(err)
}
