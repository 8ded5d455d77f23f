package model

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/trace"
	"github.com/gopvas/gopvas/internal/lab/replay"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/goal"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
	jobtrace "github.com/gopvas/gopvas/trace"
)

// regular returns an error if there is no such file, or if it is a directory.
func regular(file string) error {
	info, err := os.Stat(file)
	if err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory", file)
	}
	return err
}

// A Program is what a file has, to be simulated.
type Program struct {
	file     string
	Graph    *graph.Graph
	names    []string  // of places, by number; nil: lines of the file
	nodes    []int     // of a recorded job, by rank; nil: one has all
	cpus     int       // that the ranks of a node had; 0: not known
	measured *measured // nil: not known

	trace *jobtrace.Trace // until the graph is built
	ranks []int           // of it that are looked at; nil: all
	part  string          // what is looked at; empty: all of it
}

// Place names the place of an operation in the program.
func (p *Program) Place(id graph.ID) string {
	site := p.Graph.Op(id).Site
	switch {
	case site > 0 && int(site) < len(p.names):
		return p.names[site]
	case p.names != nil:
		return p.Graph.Op(id).Kind.String() + " outside of calls"
	}
	return p.Graph.Place(id)
}

// tellSizes warns of receives in a GOAL file that have another size than their messages.
func (p *Program) tellSizes(r *sim.Result) {
	if p.measured != nil {
		return
	}
	n, first := 0, graph.ID(0)
	for id := range graph.ID(p.Graph.Len()) {
		if op := p.Graph.Op(id); op.Kind.Sends() && p.Graph.Op(r.Mate(id)).Size != op.Size {
			if n == 0 {
				first = id
			}
			n++
		}
	}
	if n > 0 {
		to := r.Mate(first)
		fmt.Fprintf(os.Stderr, "pvasrun: %d messages have another size than their receives, such as %s: the size of "+
			"the send counts, and not that of %s\n", n, p.Graph.Describe(first), p.Graph.Describe(to))
	}
}

// mostLimit is the largest eager limit that can be had: for a job that of --eager-limit.
func (p *Program) mostLimit() int64 {
	if p.measured != nil {
		return job.MaxEagerLimit
	}
	return loggps.Unlimited
}

// sites are the names of places by number, for a page: those that operations have.
func (p *Program) sites() []string {
	names := slices.Clone(p.names)
	for id := range graph.ID(p.Graph.Len()) {
		site := int(p.Graph.Op(id).Site)
		for len(names) <= site {
			names = append(names, "")
		}
		if site > 0 && names[site] == "" {
			names[site] = p.Place(id)
		}
	}
	return names
}

// programsThere returns an error if a command names no file, or one that is not there.
func programsThere(command string, files []string) error {
	if len(files) == 0 {
		return cli.Mistake(fmt.Errorf("%s: name a trace or GOAL file", command))
	}
	for _, file := range files {
		if err := regular(file); err != nil {
			return modelMistake(
				fmt.Errorf("model: read program: %w: name a trace of pvasrun --trace FILE, or a GOAL file", err))
		}
	}
	return nil
}

// ReadProgram reads a trace or a GOAL file, for a machine.
func ReadProgram(file string, on *loggps.Machine) (*Program, error) {
	p, err := openProgram(file)
	if err != nil || p.trace == nil {
		return p, err
	}
	if err := p.fits(); err != nil {
		return p, err
	}
	p.measured = measuredOf(p.trace)
	p.measured.run = nil // as large as the trace
	return p, p.build(on)
}

// openProgram reads a trace, which has no graph yet and is not measured, or a GOAL file.
func openProgram(file string) (*Program, error) {
	recorded, err := cli.IsTrace(file)
	if err != nil {
		return nil, err
	}
	if !recorded {
		g, err := goal.ReadFile(file)
		if errors.Is(err, goal.ErrNoGoal) {
			err = fmt.Errorf("%w; nor is it a trace of pvasrun --trace FILE", err)
		}
		return &Program{file: file, Graph: g}, err
	}
	t, err := trace.OpenNamed(file, jobtrace.OpenOnDisk)
	if err == nil {
		err = replay.Whole(t)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if ranks := t.Unended(); ranks != nil {
		fmt.Fprintf(os.Stderr, "pvasrun: %s: %s; what is predicted is the part before that\n", file,
			trace.Unended(ranks, len(t.Ranks)))
	}
	return &Program{file: file, trace: t, nodes: t.Meta.Nodes, cpus: t.Meta.CPUs}, nil
}

// fits returns an error if the trace is too long for a graph.
func (p *Program) fits() error {
	if p.trace == nil {
		return nil
	}
	if err := replay.Fits(p.trace); err != nil {
		return fmt.Errorf("%s: %w", p.file, err)
	}
	return nil
}

// build makes the graph of a trace, for a machine. It lets the trace go.
func (p *Program) build(on *loggps.Machine) error {
	if p.trace == nil {
		return nil
	}
	defer p.trace.Close()
	r, err := replay.New(p.trace, replay.Options{Recording: on.Recording, Operations: on.Operations})
	if err != nil {
		return fmt.Errorf("%s: %w", p.file, err)
	}
	if ranks := r.Overlapping; ranks != nil {
		fmt.Fprintf(os.Stderr,
			"pvasrun: %s: threads could not be told apart in %d of %d ranks, such as rank %d: which of their calls "+
				"follow one another is a guess\n", p.file, len(ranks), len(p.trace.Ranks), ranks[0])
	}
	p.Graph, p.names, p.trace = r.Graph, r.Sites, nil
	return nil
}

// oneProgram reads the one file that a command names.
func oneProgram(command string, files []string, on *loggps.Machine) (*Program, error) {
	if len(files) != 1 {
		return nil, cli.Mistake(fmt.Errorf("%s: name one trace or GOAL file", command))
	}
	p, err := ReadProgram(files[0], on)
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
	return cli.InputMistake(err)
}
